"""Values of keys in Chinese sentences, which have no spaces to cut at."""

from echo_notes.guard.lexicon import longest_first, word_set
from echo_notes.guard.values import han_number
from echo_notes.model.names import fold

_STOPS = "，。；、？！,;（(！"
_CUTS = ("担任", "出任", "负责", "因为", "所以", "但是", "并且", "做", "当")
_TAILS = ("了", "呢", "啊", "啦", "呀", "哦", "的公司")
_PARTICLES = "了的呢啊啦呀吧嘛"
_NUMBER_OPENINGS = ("也是", "已经", "刚满", "刚", "才", "快", "约", "也", "都", "又")
_COUNTED = ("一名", "一位", "一个", "名", "位", "个")
_CIRCLES = ("队", "社团", "俱乐部", "协会", "群", "班", "小组", "社区", "党", "会议", "乐队")
_LONGEST_NAME = 16
_LONGEST_TEXT = 24
_LONGEST_NUMBER = 12
_SHORTEST_NAME = 2


def name(value: str, kind: str, *, named: bool) -> str | None:
    """Return a name or a place, None for what is a clause, a job, a time or no particular one."""
    value = _cut(value, kind)
    if not _SHORTEST_NAME <= len(value) <= _LONGEST_NAME or value in word_set("generic_zh"):
        return None
    if value.startswith(longest_first("name_openings_zh")) or value.endswith(("年", "月", "日", "号", "楼", "层")):
        return None
    if any(part in value for part in (*longest_first("generic_parts_zh"), "很", "什么", "不", "没")):
        return None
    return value if named or _is_particular(value, kind) else None


def _is_particular(value: str, kind: str) -> bool:
    """Return whether a word can be the name of someone or somewhere, not a job or, as an employer, a town."""
    if value.endswith(longest_first("roles_zh")):
        return False
    if kind == "place":
        return not value.endswith(longest_first("not_people_zh"))
    return value not in word_set("places_zh") and not value.endswith(_CIRCLES)


def _cut(value: str, kind: str) -> str:
    for index, char in enumerate(value):
        if char in _STOPS:
            value = value[:index]
            break
    if kind != "place":
        for cut in _CUTS:
            if value.find(cut) > 1:
                value = value[: value.find(cut)]
    tail = next((tail for tail in _TAILS if value.endswith(tail)), "")
    while tail and len(value) > len(tail) + 1:
        value = value.removesuffix(tail)
        tail = next((tail for tail in _TAILS if value.endswith(tail)), "")
    if kind == "place":
        value = value.removesuffix("本地")
        if value.endswith("市") and len(value) > _SHORTEST_NAME:
            value = value[:-1]
    return value


def role(value: str) -> str | None:
    """Return a job title, with the organisation before it if it is named."""
    head = value
    for index, char in enumerate(value):
        if char in _STOPS:
            head = value[:index]
            break
    for counted in _COUNTED:
        head = head.removeprefix(counted)
    head = head.rstrip(_PARTICLES)
    if head.startswith(("的", "了", "过", "着")) or len(head) > _LONGEST_TEXT:
        return None
    return head if fold(head).endswith(tuple(fold(title) for title in longest_first("roles_zh"))) else None


def text(value: str) -> str | None:
    """Return what is liked, spoken or used, up to the end of its clause."""
    for index, char in enumerate(value):
        if char in "，。；？！,;":
            value = value[:index]
            break
    value = value.strip()
    if len(value) > _SHORTEST_NAME:
        value = value.rstrip(_PARTICLES)
    if not value or len(value) > _LONGEST_TEXT or value.endswith("不"):
        return None
    return None if value.startswith(longest_first("object_openings_zh")) else value


def number(value: str) -> str | None:
    """Return a quantity; it must begin with its number."""
    value = value.rstrip("了多 ")
    for opening in _NUMBER_OPENINGS:
        value = value.removeprefix(opening)
    if not value or len(value) > _LONGEST_NUMBER:
        return None
    return value if value[0].isdigit() or value[0] in "￥¥$€" or han_number(value[0]) is not None else None
