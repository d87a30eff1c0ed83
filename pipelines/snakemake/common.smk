# What the rules share: where each result lies, and what it is made from.
#
# The name of a folder ends in a key of what decides its contents: the options of its step and the keys of the steps before it. A
# changed option makes a new folder, and everything that depends on it is made again, but nothing else; a run that was killed finds its own
# folder, and bigdna's --resume=replace continues in it. Where an input has other contents under the same name, it starts over.
import hashlib
import json
import os

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


def flags(files):
    return " ".join(f"--{option} {path}" for option, path in files.items())


def pretrained_of(wildcards):
    return [done(PRETRAINED, "run.json")] if is_finetuned(wildcards.task) else []


def command_of(task):
    method, kind = config["tasks"][task]["model"]["method"], config["tasks"][task]["dataset"]["kind"]
    return f"{method} {kind}"


def model_input(wildcards):
    """The run that a prediction's model is from; nothing for a model that bigdna knows by its name."""
    model = config["predictions"][wildcards.prediction]["model"]
    return [done(run_of(model), "run.json")] if model in config["tasks"] else []


def model_of(wildcards):
    model = config["predictions"][wildcards.prediction]["model"]
    return run_of(model) if model in config["tasks"] else model


def merged(prediction):
    return os.path.join(OUT, "predictions", f"{prediction}.{config['predictions'][prediction]['suffix']}")


def parts_of(wildcards, of_part):
    """What all parts of a prediction wrote: the part itself (""), or what lies beside it."""
    count = config["predictions"][wildcards.prediction]["parts"]
    name = f"{wildcards.prediction}.{{part}}.{wildcards.suffix}{of_part}"
    return expand(os.path.join(OUT, "parts", name), part=range(1, count + 1))


def limits(step):
    """Memory and time of a rule, for clusters."""
    return {name: config["resources"][step][name] for name in ("mem_mb", "runtime")}
