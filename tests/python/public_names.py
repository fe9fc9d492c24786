"""The package's public names with their signatures, one a line, out of its stub: `public_names.py > public_names.txt`.

The environment must have the package (PYTHONPATH=build/python)."""

import ast
import pathlib
import sys


def lines_of(stub: str) -> list[str]:
    """`function(…) -> …`, `Class(Base)`, `Class.method(…) -> …`, `Class.attribute: type`, with `=` after what can be
    assigned."""
    lines = []

    def function(prefix, node):
        decorators = [ast.unparse(each) for each in node.decorator_list]
        answer = ast.unparse(node.returns) if node.returns else "?"
        if "property" in decorators:
            return f"{prefix}{node.name}: {answer}"
        if any(each.endswith(".setter") for each in decorators):
            return f"{prefix}{node.name}: = {ast.unparse((node.args.posonlyargs + node.args.args)[1].annotation)}"
        kind = "static " if "staticmethod" in decorators else ""
        return f"{kind}{prefix}{node.name}({ast.unparse(node.args)}) -> {answer}"

    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            lines.append(function("", node))
        elif isinstance(node, ast.ClassDef):
            lines.append(f"{node.name}({', '.join(map(ast.unparse, node.bases))})")
            for member in node.body:
                if getattr(member, "name", "") in ("__repr__", "__copy__", "__deepcopy__", "__reduce__"):
                    continue  # every class has them (values_test.py)
                if isinstance(member, ast.FunctionDef):
                    lines.append(function(f"{node.name}.", member))
                elif isinstance(member, (ast.Assign, ast.AnnAssign)):
                    lines.append(f"{node.name}.{ast.unparse(member)}")
    return [" ".join(line.split()) for line in lines]


def written(package: pathlib.Path) -> str:
    return "\n".join(lines_of((package / "__init__.pyi").read_text(encoding="utf-8"))) + "\n"


if __name__ == "__main__":
    import antaeus

    sys.stdout.write(written(pathlib.Path(antaeus.__file__).parent))
