#!/bin/sh
# Train the pipeline and pack it: train.sh TREEBANK WORK
# TREEBANK holds ewt-train.conllu.gz and ewt-dev.conllu.gz; WORK is made, and holds what comes between.
# Takes about forty minutes of one core.
set -eu
here=$(dirname "$0")
treebank=$1
work=$2
mkdir -p "$work"
python "$here/convert.py" "$treebank" "$work/corpus"
python -m spacy train "$here/config.cfg" --output "$work/trained" \
    --paths.train "$work/corpus/train.spacy" --paths.dev "$work/corpus/dev.spacy"
python "$here/pack.py" "$work/trained/model-best" "$here/../src/hmem_english/pipeline"
