# What the rules share: where each result lies, and what it is made from.
#
# The name of a folder ends in a key of what decides its contents: the options of its step and the keys of the steps before it. A
# changed option makes a new folder, and everything that depends on it is made again, but nothing else; a run that was killed finds its own
# folder, and bigdna's --resume=replace continues in it. Where an input has other contents under the same name, it starts over.
import hashlib
import json
import os
import shlex

OUT = config["output"]


def key_of(*parts):
    return hashlib.md5(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:8]


def folder(name, *parts):
    return os.path.join(OUT, f"{name}-{key_of(*parts)}")


def done(path, manifest):
    """The file of a folder that bigdna writes last."""
    return os.path.join(path, manifest)


VOCABULARY = folder("vocabulary", config["genome"], config["vocabulary"]["options"])
CORPUS = folder("corpus", VOCABULARY, config["corpus"]["options"])
PRETRAINED = folder("pretrain", CORPUS, config["pretrain"]["options"])


def dataset_folder(task):
    return folder(os.path.join("datasets", task), config["genome"], config["tasks"][task]["dataset"])


def is_finetuned(task):
    return config["tasks"][task]["model"]["method"] == "finetune"


def run_of(task):
    made_from = PRETRAINED if is_finetuned(task) else ""
    return folder(os.path.join("tasks", task), dataset_folder(task), made_from, config["tasks"][task]["model"])


def dataset_of(wildcards):
    return config["tasks"][wildcards.task]["dataset"]


def quoted(paths):
    return " ".join(map(shlex.quote, paths))


def flags(files):
    return " ".join(f"--{option} {shlex.quote(path)}" for option, path in files.items())


def genome_of_task(wildcards):
    """A dataset of bins holds none of their bases, which training reads from the genome."""
    return [config["genome"]] if dataset_of(wildcards)["kind"] == "chromatin" else []


def pretrained_of(wildcards):
    return [done(PRETRAINED, "run.json")] if is_finetuned(wildcards.task) else []


def prediction_of(wildcards):
    return config["predictions"][wildcards.prediction]


def read_by_prediction(wildcards):
    """What a prediction reads: a task's run, sequences are positional, and a genome only where there are none of them."""
    prediction = prediction_of(wildcards)
    model, command = prediction["model"], prediction["command"]
    read = {
        "run": [done(run_of(model), "run.json")] if model in config["tasks"] else [],
        "input": prediction["input"],
        "regions": [prediction["regions"]] if "regions" in prediction else [],
    }
    sequences = command in ("predict", "predict-promoter") and prediction["input"]
    return {**read, "genome": [] if sequences else [config["genome"]]}


def reading_of(wildcards, input):
    """What a prediction reads, on the command line behind the model."""
    named = {"genome": input.genome, "regions": input.regions}
    return f"{quoted(input.input)} {flags({option: path for option, paths in named.items() for path in paths})}"


def decisive(wildcards):
    """The rest of a prediction's command but for its outputs. Snakemake compares it, as it does no parameter made from `input`."""
    prediction = prediction_of(wildcards)
    strands = "--strands both " if prediction["stranded"] else ""
    return f"{prediction['options']} {strands}--shard {wildcards.part}/{prediction['parts']}"


def model_of(wildcards):
    model = prediction_of(wildcards)["model"]
    return run_of(model) if model in config["tasks"] else model


def merged(name):
    """The merged files of a prediction."""
    prediction = config["predictions"][name]
    suffixes = ["plus.bw", "minus.bw"] if prediction["stranded"] else [prediction["suffix"]]
    return [os.path.join(OUT, "predictions", f"{name}.{suffix}") for suffix in suffixes]


def parts_of(wildcards, ending):
    """What all parts of a prediction wrote under this ending."""
    parts = range(1, prediction_of(wildcards)["parts"] + 1)
    return [os.path.join(OUT, "parts", f"{wildcards.prediction}.{part}{ending}") for part in parts]


def limits(step):
    """Memory and time of a rule, for clusters."""
    return {name: config["resources"][step][name] for name in ("mem_mb", "runtime")}
