"""Words that carry no subject: dropped from queries (never from the index), in English and Chinese."""

ENGLISH = frozenset(
    """
    a about above after again against all also although am an and any are aren't around as at be because been before
    being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done down
    during each either else ever every few for from further get gets getting give given gives got had hadn't has hasn't
    have haven't having he he's her here here's hers herself him himself his how how's i i'd i'll i'm i've if in into
    is isn't it it's its itself just let let's like lot made make makes many may me might more most much must my myself
    no nor not now of off on once one only onto or other our ours ourselves out over own please quite rather really s
    said same say says shall she she's should shouldn't since so some someone something such t tell than that that's
    the their theirs them themselves then there there's these they they're they've thing things this those though
    through to too under until up upon us use very was wasn't we we'd we'll we're we've well were weren't what what's
    when when's where where's whether which while who who's whom whose why why's will with within without won't would
    wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves
    """.split()  # noqa: SIM905 (a paragraph of words is read and edited as one)
)

CHINESE = frozenset(
    """
    的 了 是 在 我 你 他 她 它 们 这 那 有 和 与 或 就 都 也 很 吗 呢 吧 啊 呀 哦 嗯 么 着 过 地 得 把 被
    让 给 对 从 到 向 以 为 于 之 而 其 个 些 哪 谁 几 什 怎 样 不 没 要 会 能 可 还 又 再 只 才 但 并 且
    则 若 如 因 所 此 该 各 每 某 请 问 哈 嘛 啦 将 什么 怎么 怎样 哪里 哪个 哪些 哪儿 多少 几个 是否 为什
    如何 可以 一个 这个 那个 这些 那些 我们 你们 他们 她们 它们 自己 没有 因为 所以 但是 而且 如果 就是 还是 或者
    不是 已经 可能 应该 知道 觉得 时候 真的 非常 一下 一些 一样 起来 有些 有点 是什 的是 了吗 的吗 是的 我的 你的
    他的 她的 这样 那样 这么 那么 么样 在哪 是谁 有什 有哪 请问 关于 对于 以及
    """.split()  # noqa: SIM905 (the same)
)
