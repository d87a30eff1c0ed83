"""Writes FOLDER/pytorch_model.bin from FOLDER/model.safetensors as torch.save(model.state_dict()) does, without PyTorch.

state_dict.py FOLDER [plain] [half] [bf16] [views] [CHANGE=...]: an OrderedDict with _metadata, or a plain dict; of float, half or bfloat16;
views: all tensors are views of one storage, matrices with the strides of a transposed one. CHANGE damages it: numel, offset, stride, code.
"""
import collections
import io
import json
import os
import pickle
import struct
import sys
import types
import zipfile

folder, *words = sys.argv[1:]
change = next((word[7:] for word in words if word.startswith("CHANGE=")), "")
torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
sys.modules["torch"], sys.modules["torch._utils"] = torch, utils
name = "HalfStorage" if "half" in words else "BFloat16Storage" if "bf16" in words else "FloatStorage"
storage_type = type(name, (), {"__module__": "torch"})
setattr(torch, name, storage_type)


def _rebuild_tensor_v2():
    pass


_rebuild_tensor_v2.__module__ = "torch._utils"
_rebuild_tensor_v2.__qualname__ = "_rebuild_tensor_v2"
utils._rebuild_tensor_v2 = _rebuild_tensor_v2


class Storage:
    def __init__(self, key, values):
        self.key, self.values = key, values

    def bytes(self):
        if name == "HalfStorage":
            return struct.pack(f"<{len(self.values)}e", *self.values)
        data = struct.pack(f"<{len(self.values)}f", *self.values)
        return data if name == "FloatStorage" else b"".join(data[i + 2:i + 4] for i in range(0, len(data), 4))


class Tensor:
    def __init__(self, storage, offset, size, stride):
        self.arguments = (storage, offset, size, stride, False, collections.OrderedDict())

    def __reduce__(self):
        return _rebuild_tensor_v2, self.arguments


class Pickler(pickle._Pickler):
    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        return ("storage", storage_type, value.key, "cpu", len(value.values) + (1000 if change == "numel" else 0))


raw = open(os.path.join(folder, "model.safetensors"), "rb").read()
size = struct.unpack("<Q", raw[:8])[0]
arrays = {key: (entry["shape"], struct.unpack(f"<{(entry['data_offsets'][1] - entry['data_offsets'][0]) // 4}f",
                                              raw[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]))
          for key, entry in json.loads(raw[8:8 + size]).items() if key != "__metadata__"}
tensors = {} if "plain" in words else collections.OrderedDict()
storages = [Storage("0", [])] if "views" in words else []
for key, (shape, values) in arrays.items():
    stride = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        stride[i] = stride[i + 1] * shape[i + 1]
    if "views" in words:
        storage = storages[0]
        if len(shape) == 2:  # column by column
            stride = [1, shape[0]]
            values = [values[i * shape[1] + j] for j in range(shape[1]) for i in range(shape[0])]
        offset = len(storage.values)
        storage.values.extend(values)
    else:
        offset = 0
        storages.append(storage := Storage(str(len(storages)), values))
    if change == "offset":
        offset += 1
    if change == "stride":
        stride = [2 ** 62 for _ in stride]
    tensors[key] = Tensor(storage, offset, tuple(shape), tuple(stride))
if "plain" not in words:
    tensors._metadata = collections.OrderedDict({"": {"version": 1}})
text = io.BytesIO()
if change == "code":
    tensors = {"x": os.system}  # a name that runs code
Pickler(text, 2).dump(tensors)
with zipfile.ZipFile(os.path.join(folder, "pytorch_model.bin"), "w") as file:
    file.writestr("archive/data.pkl", text.getvalue())
    file.writestr("archive/byteorder", "little")
    for storage in storages:
        file.writestr(f"archive/data/{storage.key}", storage.bytes())
    file.writestr("archive/version", "3\n")
