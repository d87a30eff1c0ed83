#!/usr/bin/env python3
"""Makes deepsea_features.tsv: DeepSEA's 919 features, in the order of its labels, as features.tsv has them.

  lib/dataset/deepsea_features.py FOLDER >lib/dataset/deepsea_features.tsv

FOLDER holds DeepSEA_919_metadata_AUC_AUPRC.tsv, the supplementary table 2 of Zhou & Troyanskaya (Nature Methods 2015)
in the order of the labels. name is the target, and the treatment where there was one. Experiments were repeated: name
and cell together have 843 values only, so that features are known by their index alone.
"""
import os
import sys

with open(os.path.join(sys.argv[1], "DeepSEA_919_metadata_AUC_AUPRC.tsv")) as file:
    rows = [line.rstrip("\r\n").split("\t") for line in file][1:]
print("#index\tname\tcell\tassay\tgroup")
for index, (cell, target, treatment, accession, *_) in enumerate(rows):
    # the file names say what the histone marks are: the Roadmap's epigenomes, E003-H3K4me1.narrowPeak
    group = "DHS" if target == "DNase" else "HM" if accession.startswith("E") else "TF"
    if treatment == "NA":  # one row; its file is ...Srebp1InslnUniPk
        treatment = "insulin"
    name = target if treatment == "None" else f"{target}_{treatment}"
    print(index, name, cell, "DNase-seq" if group == "DHS" else "ChIP-seq", group, sep="\t")
