"""Questions a vault cannot answer: `python -m tests.evals.abstain DIR` counts how often recall returns nothing.

The questions of each dialogue are put to the other dialogues' vaults; 60 Chinese questions of our own are put to the
Chinese memories. Beside it: how many of the answerable hits the floors keep.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from echo_notes.index.results import SearchRequest
from echo_notes.index.store import Index
from echo_notes.model.settings import Settings
from tests.evals.retrieval import ADVERSARIAL, DEPTH
from tests.evals.scoring import interval, mean
from tests.evals.vaults import Haystack, Question, load_haystacks, write_vault

STRANGE = (
    """
张总的航班几点到浦东机场？|公司去年的营业额是多少？|我的房贷利率是多少？|服务器的数据库密码存在哪里？|谁负责招聘前端工程师？
老王的驾照什么时候过期？|我们在东京订的是哪家酒店？|上季度的客户流失率是多少？|陈律师的办公室在几楼？|岳父做的是什么手术？
新办公室的租金每平米多少钱？|谁推荐了那位牙医？|我什么时候续签的工作签证？|投资人对估值提了什么意见？|孩子的疫苗还差哪一针？
冰箱的保修期到哪一年？|李教授的论文发表在哪个期刊？|周末的马拉松我跑了多长时间？|我的血压上次量是多少？|股票账户在哪家券商？
合同的违约金条款怎么写的？|我们为什么放弃了微服务架构？|刘洋在哪家银行上班？|他对青霉素过敏吗？|丈母娘住在哪个小区？
项目的上线日期推迟到了几号？|仓库的门禁密码是多少？|我的护照号码是多少？|谁在会上反对裁员计划？|去年的年终奖发了几个月？
房东同意换热水器了吗？|物业费每个月多少钱？|编译器升级到哪个版本了？|供应商的报价单谁审批？|我欠小赵多少钱？
车险是在哪家公司买的？|新来的实习生毕业于哪所大学？|健身教练的微信号是什么？|婚礼请了多少桌客人？|董事会什么时候开会？
显卡驱动装的是哪个版本？|老家的宅基地证在谁手里？|她的博士导师是谁？|光纤宽带的账号是什么？|上次体检的胆固醇高不高？
我们和腾讯的谈判到哪一步了？|备用钥匙放在哪个抽屉？|装修队的工头姓什么？|税务局要求补交哪些材料？|他的前妻在哪个城市？
奶粉要买几段的？|咖啡机多久除垢一次？|公积金提取需要什么证明？|签证官问了哪些问题？|无人机的电池能飞多久？
遗嘱的公证处在哪条路上？|谁把合伙协议改了？|夜班补贴怎么计算？|房屋贷款还剩多少年？|路由器的管理员地址是什么？
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    folder = options.data / "retrieval" if (options.data / "retrieval").is_dir() else options.data
    haystacks = list(load_haystacks(folder))
    with tempfile.TemporaryDirectory() as work:
        indexes = [open_vault(haystack, Path(work) / str(number)) for number, haystack in enumerate(haystacks)]
        print("questions that have no answer: share that returns nothing [95 %]")
        dialogues = [at for at, haystack in enumerate(haystacks) if haystack.is_chat]
        crossed: list[float] = []
        for at in dialogues:
            asked = [q.text for q in haystacks[at].questions if q.category != ADVERSARIAL]
            for other in dialogues:
                if other != at:
                    crossed += silences(indexes[other], haystacks[other], asked)
        report("dialogue questions to other dialogues", crossed)
        for at, haystack in enumerate(haystacks):
            if haystack.set_name in {"madial_zh", "cmrc2018", "xquad_zh"}:
                report(f"60 Chinese questions to {haystack.set_name}", silences(indexes[at], haystack, STRANGE))
        for at in dialogues:
            asked = [q.text for q in haystacks[at].questions if q.category == ADVERSARIAL]
            report(
                f"adversarial questions to their own {haystacks[at].name}", silences(indexes[at], haystacks[at], asked)
            )
        print("\nanswerable questions: share of the top-10 gold that the floors keep, and of questions left empty")
        for name in dict.fromkeys(haystack.set_name for haystack in haystacks):
            here = [at for at, haystack in enumerate(haystacks) if haystack.set_name == name]
            kept = [pair for at in here for pair in keeps(indexes[at], haystacks[at])]
            shares = [with_floor / without for with_floor, without, _ in kept if without]
            low, high = interval(shares)
            empty = mean([float(nothing) for _, _, nothing in kept])
            print(f"{name:40} kept {mean(shares):.3f} [{low:.3f} {high:.3f}]  empty {empty:.3f}  of {len(kept)}")


def open_vault(haystack: Haystack, root: Path) -> Index:
    """Return a fresh index over a haystack written as a vault."""
    write_vault(haystack, root)
    index = Index(root, Settings())
    index.rebuild()
    return index


def silences(index: Index, haystack: Haystack, asked: Sequence[str]) -> list[float]:
    """Return 1.0 for each question that gets no hit."""
    return [float(not index.search(SearchRequest(query=text, k=DEPTH, now=haystack.now)).hits) for text in asked]


def keeps(index: Index, haystack: Haystack) -> list[tuple[int, int, bool]]:
    """Return for each answerable question the gold hits with the floors, without them, and whether nothing came."""
    rows = []
    for question in haystack.questions:
        if question.gold and question.category != ADVERSARIAL:
            with_floor, nothing = gold_hits(index, haystack, question, floor=True)
            without, _ = gold_hits(index, haystack, question, floor=False)
            rows.append((min(with_floor, without), without, nothing))
    return rows


def gold_hits(index: Index, haystack: Haystack, question: Question, *, floor: bool) -> tuple[int, bool]:
    """Return how much of the gold is in the first ten, and whether there is no hit at all."""
    hits = index.search(SearchRequest(query=question.text, k=DEPTH, floor=floor, now=haystack.now)).hits
    found = {haystack.place.get(f"{hit.passage.path}:{hit.passage.line}") for hit in hits}
    return len(question.gold & found), not hits


def report(what: str, values: Sequence[float]) -> None:
    """Print a rate with its interval."""
    low, high = interval(values)
    print(f"{what:50} {mean(values):.3f} [{low:.3f} {high:.3f}] of {len(values)}")


if __name__ == "__main__":
    main()
