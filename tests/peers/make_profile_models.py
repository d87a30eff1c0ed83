"""Makes test-data/profile: models of random weights as other programs save them, and what these programs predict with them.

    python make_profile_models.py keras FOLDER        needs tensorflow-cpu 2.16, tf-keras 2.16, safetensors
    python make_profile_models.py bpnet-lite FOLDER   needs torch, bpnet-lite 1.1, safetensors

The first writes sequences.fa, the three .h5 files of a ChromBPNet training and keras.safetensors; the second reads
sequences.fa and writes the .torch files and bpnet_lite.safetensors. Tests compare bigdna's numbers with these, so they
need neither program (bpnet_lite_test.py runs bpnet-lite itself, where it is installed).
"""
import os
import sys

import numpy as np
from safetensors.numpy import save_file

WINDOW, OUTPUT = 2114, 1000
KERAS_LAYERS = {"main": 4, "bias": 2}  # fewer than ChromBPNet's 8 and 4, so that the files are small
FILTERS = {"main": 6, "bias": 5}


def write_sequences(path, rng):
    """A random sequence, its reverse complement, and one with N."""
    with open(path, "w") as file:
        first, second = ("".join(rng.choice(list("ACGT"), size=WINDOW)) for _ in range(2))
        for name, bases in (("forward", first), ("reverse", first[::-1].translate(str.maketrans("ACGT", "TGCA"))),
                            ("with_n", second[:700] + 60 * "N" + second[760:])):
            file.write(f">{name}\n{bases}\n")


def one_hot(path):
    rows = [line.strip() for line in open(path) if not line.startswith(">")]
    return np.array([[[base == letter for letter in "ACGT"] for base in row] for row in rows], dtype=np.float32)


def keras_half(keras, half, prefix, inputs):
    """The layers that ChromBPNet gives a half, by its names: `prefix` tells the accessibility model from the bias model."""
    layers = keras.layers
    x = layers.Conv1D(FILTERS[half], 21, activation="relu", name=prefix + "bpnet_1st_conv")(inputs)
    length = WINDOW - 20
    for i in range(1, KERAS_LAYERS[half] + 1):
        new = layers.Conv1D(FILTERS[half], 3, dilation_rate=2**i, activation="relu", name=f"{prefix}bpnet_{i}conv")(x)
        old = layers.Cropping1D(2**i, name=f"{prefix}bpnet_{i}crop")(x)
        x, length = layers.add([new, old]), length - 2 * 2**i
    heads = prefix + "bpnet_" if prefix else ""
    profile = layers.Conv1D(1, 75, name=heads + "prof_out_precrop")(x)
    crop = (length - 74 - OUTPUT) // 2
    names = ("logitt_before_flatten", "logits_profile_predictions") if prefix else (
        "logits_profile_predictions_preflatten", "logits_profile_predictions")
    profile = layers.Flatten(name=heads + names[1])(layers.Cropping1D(crop, name=heads + names[0])(profile))
    pooled = layers.GlobalAveragePooling1D(name="gap")(x)
    return [profile, layers.Dense(1, name=heads + "logcount_predictions")(pooled)]


def randomise(model, rng):
    """Weights that keep activations near 1, so that no output is nearly constant."""
    weights = []
    for values in model.get_weights():
        inputs = int(np.prod(values.shape[:-1])) if values.ndim > 1 else 25
        weights.append(rng.normal(0, 1.2 / np.sqrt(inputs), values.shape).astype(np.float32))
    model.set_weights(weights)


def make_keras(folder):
    global tf  # the lambda's, which is saved by this name
    import tensorflow as tf
    import tf_keras as keras

    rng = np.random.default_rng(1)
    write_sequences(f"{folder}/sequences.fa", rng)
    letters = one_hot(f"{folder}/sequences.fa")
    inputs = keras.Input((WINDOW, 4), name="sequence")
    bias = keras.Model(inputs, keras_half(keras, "bias", "", inputs))
    randomise(bias, rng)
    bias.save(f"{folder}/bias.h5")
    inputs = keras.Input((WINDOW, 4), name="sequence")
    accessibility = keras.Model(inputs, keras_half(keras, "main", "wo_bias_", inputs), name="model_wo_bias")
    randomise(accessibility, rng)
    inputs = keras.Input((WINDOW, 4), name="sequence")
    of_bias, of_main = keras.models.load_model(f"{folder}/bias.h5", compile=False)(inputs), accessibility(inputs)
    profile = keras.layers.Add(name="logits_profile_predictions")([of_main[0], of_bias[0]])
    both = keras.layers.Concatenate(axis=-1)([of_main[1], of_bias[1]])
    # as text, because Keras saves the code, and with it the path of the script that it stands in
    log_sum = eval("lambda x: tf.math.reduce_logsumexp(x, axis=-1, keepdims=True)")
    counts = keras.layers.Lambda(log_sum, name="logcount_predictions")(both)
    whole = keras.Model(inputs, [profile, counts])
    whole.save(f"{folder}/chrombpnet.h5")
    outputs = accessibility.output
    nobias = keras.Model(accessibility.inputs, [outputs[0], outputs[1]])
    nobias.save(f"{folder}/chrombpnet_nobias.h5")
    expected = {}
    for name, model in (("chrombpnet.h5", whole), ("chrombpnet_nobias.h5", nobias), ("bias.h5", bias)):
        logits, counts = model(letters)
        expected[f"{name}/logits"], expected[f"{name}/log_counts"] = logits.numpy()[:, None, :], counts.numpy()[:, 0]
    save_file(expected, f"{folder}/keras.safetensors")


def make_bpnet_lite(folder):
    import torch
    from bpnetlite.bpnet import BPNet
    from bpnetlite.chrombpnet import ChromBPNet

    torch.manual_seed(2)
    letters = torch.tensor(one_hot(f"{folder}/sequences.fa").transpose(0, 2, 1).copy())
    stranded = BPNet(n_filters=6, n_layers=8, n_outputs=2, n_control_tracks=2, trimming=(WINDOW - OUTPUT) // 2,
                     count_output_bias=False, verbose=False)
    both = ChromBPNet(BPNet(n_filters=5, n_layers=4, n_outputs=1, n_control_tracks=0, verbose=False),
                      BPNet(n_filters=6, n_layers=8, n_outputs=1, n_control_tracks=0, profile_output_bias=False, verbose=False))
    with torch.no_grad():
        for model in (stranded, both):
            for value in model.parameters():
                value.copy_(torch.randn_like(value) * 0.9 / (np.sqrt(value[0].numel() if value.dim() > 1 else 25)))
    torch.save(stranded, f"{folder}/bpnet.torch")
    torch.save(both, f"{folder}/chrombpnet.torch")
    torch.save(stranded.state_dict(), f"{folder}/bpnet_state.torch")
    controls = torch.poisson(torch.full((1, 2, WINDOW), 0.3))
    expected = {"controls": controls.numpy().astype(np.uint8)}
    with torch.no_grad():
        for name, model, given in (("with_controls", stranded, (letters[:1], controls)),
                                   ("bpnet.torch", stranded, (letters[:2], torch.zeros(2, 2, WINDOW))),
                                   ("chrombpnet.torch", both, (letters,))):
            logits, counts = model(*given)
            expected[f"{name}/logits"], expected[f"{name}/log_counts"] = logits.numpy(), counts.numpy()[:, 0]
    save_file({name: np.ascontiguousarray(values) for name, values in expected.items()}, f"{folder}/bpnet_lite.safetensors")


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    {"keras": make_keras, "bpnet-lite": make_bpnet_lite}[sys.argv[1]](sys.argv[2])
