"""Where the package lies, and whether what it stands on is of a version that was tried."""

import pathlib
import warnings

_PACKAGE = pathlib.Path(__file__).parent

# Distribution → beginning of the versions that were tried (pyproject.toml, dependencies). The file names of their
# libraries carry no version, so that the loader would take another one and fail later.
TRIED = {"libpinocchio": "4.1.", "libcoal": "3.0.", "cmeel_tinyxml2": "11."}


def cmake_prefix() -> str:
    """The folder to put on CMAKE_PREFIX_PATH so that find_package(antaeus) finds the libraries and headers of this package.

    Raises FileNotFoundError when the package is not installed (a build tree has no headers to find).
    """
    if not (_PACKAGE / "lib" / "cmake" / "antaeus" / "antaeusConfig.cmake").exists():
        raise FileNotFoundError(f"{_PACKAGE}: holds no CMake package; install the wheel (make wheel), or run cmake --install")
    return str(_PACKAGE)


def print_cmake_prefix(arguments: list[str]) -> int:
    """The verb cmake-prefix."""
    if arguments and arguments[0] in ("--help", "-h"):
        print("print the folder for CMAKE_PREFIX_PATH, with which find_package(antaeus) finds this installation\n\n"
              "antaeus cmake-prefix\n\n"
              "  cmake -S . -B build -DCMAKE_PREFIX_PATH=\"$(antaeus cmake-prefix)\"")
        return 0
    if arguments:
        raise ValueError(f"cmake-prefix: unexpected argument '{arguments[0]}'; the command takes none")
    print(cmake_prefix())
    return 0


def warn_of_untried() -> None:
    """One RuntimeWarning that names each dependency of an untried version, and the line that installs a tried one."""
    site_packages = _PACKAGE.parent
    untried = []
    for name, tried in TRIED.items():
        for folder in site_packages.glob(f"{name}-*.dist-info"):
            version = folder.name[len(name) + 1:-len(".dist-info")]
            if not f"{version}.".startswith(tried):
                untried.append((name, version, tried))
    if untried:
        found = ", ".join(f"{name} {version}" for name, version, _ in untried)
        wanted = " ".join(f"'{name}=={tried}*'" for name, _, tried in untried)
        warnings.warn(f"antaeus was not tried with {found}; install what it was tried with: pip install {wanted}",
                      RuntimeWarning, stacklevel=4)


def explain_import(error: ImportError) -> ImportError:
    """What to say in place of the loader's message: which library is missing and the line that brings it."""
    return ImportError(f"antaeus: its libraries do not load ({error}); install what they stand on: "
                       "pip install --force-reinstall 'libpinocchio==4.1.*' 'libcoal==3.0.*' 'cmeel-tinyxml2==11.*'")
