"""Thirty weeks of one person's life as data: what is said, noted and done, and what of it is true from then on.

Plain strings are talk that must leave nothing. A `Told` is something that lasts: `key` names what it is a value of, the
next `Told` under the same key takes its place; without a key it is one more fact. Days are counted from Monday, 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

START = date(2026, 3, 2)
WEEKS = 30


@dataclass(frozen=True)
class Told:
    """A lasting statement about an entity. `value` tells it from its rivals; `kept` is its text as a fact.

    `fades`: nobody asks for it again and it is the value of no key, so that age archives it.
    """

    text: str
    about: str
    key: str = ""
    value: str = ""
    kept: str = ""
    fades: bool = False

    @property
    def fact(self) -> str:
        return self.kept or self.text.rstrip(".。")


class Again(str):
    """A line that says again what was judged wrong: every pass that reads it refuses."""

    __slots__ = ()


@dataclass(frozen=True)
class Event:
    """Something that happens in a week (1 to 30), on a day (0 to 6), at a time.

    `wrong`: the value (of whom, words that tell it) that this shows to be wrong, nowhere to be met from then on.
    """

    week: int
    day: int
    time: str
    wrong: tuple[str, str] = field(default=("", ""), kw_only=True)


@dataclass(frozen=True)
class Talk(Event):
    """A session. `ends`: it is ended by command, else it falls idle. `said` by the person, `answers` by the assistant.

    `scope`: whose its facts are; empty: its own, as for any session that does not say.
    """

    name: str
    said: Sequence[Told | str]
    answers: Sequence[str] = ()
    ends: bool = True
    scope: str = "owner"


@dataclass(frozen=True)
class Note(Event):
    """Lines in the daily note; `dated` (week, day): written later into the note of that day."""

    lines: Sequence[Told | str]
    dated: tuple[int, int] | None = None


@dataclass(frozen=True)
class Do(Event):
    """A command of the person's. `told`: what is true after it; `old`: the text of the fact that `{id}` stands for."""

    words: Sequence[str]
    told: Told | None = None
    old: str = ""


@dataclass(frozen=True)
class Pass(Event):
    """A pass that the person starts by hand."""

    words: Sequence[str]


ME, NORA, OMAR, LIN = "people/me", "Nora", "people/omar", "people/林晓"
HALDEN, KESTREL, GARDEN = "companies/halden-robotics", "projects/kestrel", "projects/花园计划"
LAUNCH = "launch"


def _remember(week: int, day: int, told: Told) -> Do:
    return Do(week, day, "09:00", ("remember", told.text, "--about", told.about), told)


def _ships(week: int, day: int, then: str, now: str) -> Do:
    told = Told(f"Kestrel ships on {now} 2026", KESTREL, LAUNCH, now)
    return Do(week, day, "10:00", ("supersede", "{id}", told.text), told, old=f"Kestrel ships on {then} 2026")


PEOPLE = (
    Do(1, 0, "08:00", ("entity", "new", "people/Nora Lind", "--alias", "Nora")),
    Do(1, 0, "08:01", ("entity", "new", "people/Omar")),
    Do(1, 0, "08:02", ("entity", "new", "people/林晓", "--alias", "Lin Xiao")),
    Do(1, 0, "08:03", ("entity", "new", "companies/Halden Robotics", "--alias", "Halden")),
    Do(1, 0, "08:04", ("entity", "new", "projects/Kestrel")),
    Do(1, 0, "08:05", ("entity", "new", "projects/花园计划")),
)

SPRING = (
    # Week 1 to 3: how things stand.
    _remember(1, 0, Told("Kestrel ships on 12 May 2026", KESTREL, LAUNCH, "12 May")),
    _remember(1, 0, Told("My phone number is 555-0101", ME, "phone", "555-0101")),
    Talk(1, 0, "10:00", "hello", [
        Told("I live in Lisbon.", ME, "city", "Lisbon"),
        Told("I work at Blueleaf.", ME, "employer", "Blueleaf"),
        "What a grey morning. I am so tired today.",
    ], ["Nice to meet you! Coffee helps."]),
    Talk(1, 2, "18:10", "friends", [
        Told("Nora lives in Bergen.", NORA, "city", "Bergen"),
        Told("Nora works at Northwind Labs.", NORA, "employer", "Northwind"),
        "Nora will call me tonight.",
    ], ends=False),
    Talk(1, 4, "12:00", "老朋友", [
        Told("林晓住在杭州。", LIN, "city", "杭州"),
        Told("林晓在白鹭科技工作。", LIN, "employer", "白鹭科技"),
        "今天好累啊。",
    ]),
    Note(1, 5, "09:30", [Told("Kestrel is in planning.", KESTREL, "stage", "planning"), "Long walk by the river."]),
    _ships(2, 0, "12 May", "19 May"),
    Talk(2, 0, "20:00", "monday-2", [
        Told("I prefer coffee over tea.", ME, "tea", "prefer coffee"),
        Told("Nora is single.", NORA, "marriage", "single"),
        Told("Nora is allergic to hazelnuts.", NORA, value="hazelnuts"),
    ]),
    Note(2, 1, "13:00", [
        Told("@omar employer:: Casa Verde", OMAR, "employer", "Casa Verde", kept="omar employer:: Casa Verde"),
        Told("Omar lives in Setubal", OMAR, "city", "Setubal"),
        "Lunch with Omar, the soup was cold",
    ]),
    Talk(2, 3, "21:00", "花园", [
        Told("花园计划的截止日期是2026年5月1日。", GARDEN, "deadline", "5月1日"),
        Told("花园计划由林晓负责。", GARDEN, "lead", "林晓负责"),
        "天气真好。",
    ]),
    Talk(2, 4, "17:00", "work-2", [Told("Kestrel is led by Nora.", KESTREL, "lead", "led by Nora")]),
    Do(3, 0, "09:10", ("correct", "{id}", "My phone number is 555-0110"),
       Told("My phone number is 555-0110", ME, "phone", "555-0110"), old="My phone number is 555-0101",
       wrong=(ME, "555-0101")),
    Talk(3, 1, "10:00", "halden", [
        Told("Halden Robotics's CEO is Ines Duarte.", HALDEN, "ceo", "Ines"),
        Told("Halden Robotics is headquartered in Aalborg.", HALDEN, "city", "Aalborg"),
        Told("Kestrel is in development.", KESTREL, "stage", "development"),
    ]),
    Note(3, 2, "22:00", [
        Told("Omar's birthday is 3 May", OMAR, "birthday", "3 May"),
        Told("林晓喜欢喝绿茶", LIN, value="绿茶"),
    ]),
    Talk(3, 5, "11:00", "run", [Told("Nora finished the Bergen marathon.", NORA, value="marathon", fades=True)]),
    # Week 4 to 6: dates slip, a birthday was wrong.
    _ships(4, 0, "19 May", "2 June"),
    Do(4, 1, "19:00", ("correct", "{id}", "Omar's birthday is 5 May"),
       Told("Omar's birthday is 5 May", OMAR, "birthday", "5 May"), old="Omar's birthday is 3 May",
       wrong=(OMAR, "3 May")),
    Talk(4, 2, "12:30", "aller", [
        Told("林晓对花生过敏。", LIN, value="花生"),
        Told("我对猫过敏。", ME, value="猫"),
        Told("Omar bought a house in Setubal.", OMAR, value="bought a house", fades=True),
    ]),
    Talk(4, 4, "16:00", "small-talk", ["How are you? It rains again.", "Maybe Nora moves to Rome some day."],
         ["I am well, thank you. Nora would love Rome."]),
    _ships(5, 0, "2 June", "16 June"),
    Talk(5, 1, "20:15", "hills", [
        Told("我喜欢爬山。", ME, "hiking", "喜欢爬山"),
        Told("Omar speaks Basque.", OMAR, value="Basque"),
    ], ends=False),
    _remember(5, 3, Told("林晓的手机号是13800138000", LIN, "phone", "13800138000")),
    _ships(6, 0, "16 June", "30 June"),
    Talk(6, 1, "09:45", "nora-6", [Told("Nora moved to Oslo.", NORA, "city", "Oslo")], ["Oslo is lovely in spring."],
         scope=""),
    Note(6, 3, "20:00", [Told("林晓考过了驾照", LIN, value="驾照", fades=True)]),
    Talk(6, 4, "08:30", "friday-6", ["Remind me to water the plants.", "记得买牛奶。"], ["I will.", "好的。"]),
    Talk(6, 6, "17:40", "sunday-6", ["Nothing new. I am hungry now.", "没什么事。"]),
    # Week 7 to 9: moves and new jobs.
    Do(7, 0, "09:00", ("correct", "{id}", "林晓的手机号是13900139000"),
       Told("林晓的手机号是13900139000", LIN, "phone", "13900139000"), old="林晓的手机号是13800138000",
       wrong=(LIN, "13800138000")),
    Talk(7, 2, "21:00", "moving", [Told("I moved to Porto.", ME, "city", "Porto")], ["Nora lives in Madrid."],
         wrong=(NORA, "Madrid")),
    Talk(8, 1, "10:00", "work-8", [
        Told("Nora joined Halden Robotics.", NORA, "employer", "joined Halden"),
        Told("Kestrel is in beta.", KESTREL, "stage", "beta"),
        Told("Halden Robotics opened an office in Turku.", HALDEN, value="Turku", fades=True),
    ]),
    Talk(9, 0, "09:00", "new-job", [Told("I joined Halden Robotics.", ME, "employer", "joined Halden")], ends=False),
    Talk(9, 1, "22:30", "tuesday-9", ["We laughed a lot at dinner.", "Does Nora work at Acme?"], ends=False),
    Talk(9, 2, "19:00", "搬家", [
        Told("林晓搬到了上海。", LIN, "city", "上海"),
        Told("花园计划的截止日期是2026年6月15日。", GARDEN, "deadline", "6月15日"),
    ]),
    Talk(9, 3, "13:00", "birthdays", [Again("Omar's birthday is 3 May."), Again("My phone number is 555-0101.")]),
    # Week 10 to 13: a claim against what the person stated by command, and the last that is heard for a while.
    Talk(10, 0, "10:00", "rumour", ["Kestrel ships on 9 June 2026."], wrong=(KESTREL, "9 June")),
    Talk(10, 3, "20:00", "love", [
        Told("Nora is engaged to Omar.", NORA, "marriage", "engaged"),
        Told("林晓加入了星河科技。", LIN, "employer", "星河科技"),
    ]),
    Talk(11, 1, "18:00", "tea", [
        Told("I prefer tea over coffee.", ME, "tea", "prefer tea"),
        Told("Kestrel is led by Omar.", KESTREL, "lead", "led by Omar"),
        Again("林晓的手机号是13800138000。"),
    ]),
    _ships(12, 0, "30 June", "1 September"),
    Talk(12, 1, "09:00", "board", [Told("Halden Robotics's CEO is Marek Novak.", HALDEN, "ceo", "Marek")]),
    Note(12, 4, "18:30", [Told("Omar joined Mar Azul", OMAR, "employer", "Mar Azul")]),
    Talk(13, 2, "22:00", "north", [
        Told("Nora moved to Tromsø.", NORA, "city", "Tromsø"),
        Told("Omar moved to Almada.", OMAR, "city", "Almada"),
        Told("Kestrel is on hold.", KESTREL, "stage", "on hold"),
        Told("花园计划暂停了。", GARDEN, "stage", "暂停"),
    ], scope=""),
)  # fmt: skip

# Week 14 to 21: nobody says a word; the passes go on.

AUTUMN = (
    Talk(22, 1, "10:00", "back", [
        Told("Halden Robotics is headquartered in Aarhus.", HALDEN, "city", "Aarhus"),
        Told("Kestrel is in development.", KESTREL, "stage", "development"),
        "I am back, what a summer.",
    ]),
    Talk(23, 0, "09:30", "work-23", [
        Told("Nora joined Fjordbyte.", NORA, "employer", "Fjordbyte"),
        Again("Kestrel ships on 9 June 2026."),
    ]),
    Talk(23, 2, "20:00", "秋天", [
        Told("我讨厌爬山。", ME, "hiking", "讨厌爬山"),
        Told("花园计划的截止日期是2026年9月30日。", GARDEN, "deadline", "9月30日"),
    ]),
    Talk(24, 0, "10:00", "moving-24", [
        Told("I moved to Braga.", ME, "city", "Braga"),
        Told("Nora moved to Bergen.", NORA, "city", "moved to Bergen"),
        Told("林晓搬到了成都。", LIN, "city", "成都"),
    ], ends=False),
    Talk(24, 5, "23:50", "wedding", [Told("Nora married Omar.", NORA, "marriage", "married Omar")]),
    Do(25, 0, "09:00", ("entity", "rename", "people/nora-lind", "people/Nora Haddad")),
    Talk(25, 1, "10:00", "coffee-again", [
        Told("I prefer coffee over tea.", ME, "tea", "prefer coffee"),
        Again("Omar's birthday is 3 May."),
    ]),
    Note(25, 2, "21:00", [Again("林晓的手机号是13800138000"), "Watched the rain"], dated=(25, 1)),
    _ships(26, 0, "1 September", "21 September"),
    Talk(26, 1, "10:00", "halden-26", [
        Told("Halden Robotics's CEO is Sofia Reis.", HALDEN, "ceo", "Sofia"),
        Told("Nora is allergic to penicillin.", NORA, value="penicillin"),
    ], scope=""),
    # An old note that somebody finds, with everything in it as it was believed then.
    Note(26, 3, "12:00", [
        Again("Omar's birthday is 3 May"), Again("My phone number is 555-0101"),
        "Omar lives in Setubal", "林晓住在杭州",
    ], dated=(2, 2)),
    Pass(26, 3, "12:10", ("extract",)),
    Talk(27, 0, "09:00", "new-job-27", [Told("I joined Solvind.", ME, "employer", "Solvind")]),
    Talk(27, 3, "12:00", "chat-27", ["What is for lunch?", "我饿了。"], ends=False),
    Talk(27, 5, "20:00", "weekend-27", ["Omar used to live in Setubal.", "我以前住在里斯本。"]),
    Talk(27, 6, "21:00", "sunday-27", ["The bread came out well.", "面包不错。"], scope=""),
    Talk(28, 1, "17:00", "shipped", [Told("Kestrel went live.", KESTREL, "stage", "live")]),
    Talk(29, 2, "19:00", "上线", [Told("花园计划上线了。", GARDEN, "stage", "上线")]),
    Talk(30, 0, "08:00", "plans", ["I will move to Faro next year.", "林晓打算搬到北京。"], ["Faro is sunny."]),
    Talk(30, 1, "10:00", "last-week", [Again("Kestrel ships on 9 June 2026."), "Nora lives in Oslo?", "Good night."]),
)  # fmt: skip

LIFE: tuple[Event, ...] = (*PEOPLE, *SPRING, *AUTUMN)

# What was said once and never again, and how it is asked for, at the end and two years after.
QUESTIONS = (
    ("who bought a house", "Omar bought a house in Setubal"),
    ("Nora marathon", "Nora finished the Bergen marathon"),
    ("which nuts is Nora allergic to", "Nora is allergic to hazelnuts"),
    ("office in Turku", "Halden Robotics opened an office in Turku"),
    ("林晓 驾照", "林晓考过了驾照"),
    ("when does Kestrel ship", "Kestrel ships on 21 September 2026"),
    ("my phone number", "My phone number is 555-0110"),
    ("林晓对什么过敏", "林晓对花生过敏"),
)
