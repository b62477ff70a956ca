"""Runs each TensorScript program twice, by `relish run` and by PyTorch from `relish export`, and compares what comes out.

Usage: compare.py RELISH FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

TOLERANCE = 1e-5
BATCH = 3


def relish(binary, *args):
    done = subprocess.run([binary, *args], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"relish {' '.join(args)}: {done.stdout}{done.stderr}")
    return done.stdout


def outermost(nodes, text):
    """The node that no other holds, the last of several, as `relish run` chooses."""
    inner = {name for name in (node["name"] for node in nodes) if re.search(rf"=\s*{name}(::<[^=]*>)?::new", text)}
    return [node for node in nodes if node["type"] and node["name"] not in inner][-1]


def compare(binary, program):
    text = program.read_text()
    node = outermost(json.loads(relish(binary, "summary", "--json", str(program)))["nodes"], text)
    space = {}
    exec(relish(binary, "export", str(program), "--to", "pytorch"), space)
    torch.manual_seed(0)
    model = space[node["name"]]().eval()
    dims = re.match(r"\[(.*?)\]", node["type"])[1].split(", ")
    shape = [int(dim) if dim.isdigit() else BATCH for dim in dims]
    # Embeddings take whole numbers.
    x = torch.randint(0, 4, shape).float() if "Embedding" in text else torch.randn(shape)
    # What is learnt starts alike everywhere, so it is stirred.
    state = {name: value for name, value in model.state_dict().items() if value.dtype == torch.float32}
    for name, value in state.items():
        value.copy_(torch.rand_like(value) + 0.5 if name.endswith("running_var") else torch.randn_like(value) * 0.2)
    with torch.no_grad():
        wanted = model(x)
    # What PyTorch calls something else has another name there.
    weights = re.findall(r"(\w+)\s*=\s*\w+(?:::<[^=]*>)?::new", text)
    own = lambda part: part.removesuffix("_") if part not in weights else part
    inputs = {"x": x.tolist()} | {".".join(map(own, name.split("."))): value.tolist() for name, value in state.items()}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(inputs, file)
        file.flush()
        values = json.loads(relish(binary, "run", "--json", "--inputs", file.name, str(program)))["values"]
    found = torch.tensor(values[-1]["data"])
    if found.shape != wanted.shape:
        return f"shapes {tuple(found.shape)} and {tuple(wanted.shape)}", False
    difference = ((found - wanted).abs() / wanted.abs().clamp(min=1)).max().item()
    return f"{difference:.2e}", difference <= TOLERANCE


def main():
    binary, folder = sys.argv[1:]
    programs = sorted(pathlib.Path(folder).glob("*.trs"))
    n_wrong = 0
    for program in programs:
        said, is_right = compare(binary, program)
        n_wrong += not is_right
        print(f"  {'equal' if is_right else 'DIFFERENT'}  {said:>10}  {program.stem}")
    print(f"  PyTorch {torch.__version__}: {len(programs)} programs, {n_wrong} different")
    sys.exit(n_wrong > 0 or not programs)


main()
