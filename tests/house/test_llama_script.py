"""scripts/llama.sh and its kinds of library, without building one.

What is shown: each kind has a prefix of its own, whichever was made is found, wishes that cannot be met are refused with
the reason and the package that would help, and a source that is not the expected one is never used.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "llama.sh"
SETTINGS = ("PCCSQL_BACKEND", "PCCSQL_LLAMA_ARCHIVE", "PCCSQL_CUDA_ARCH", "CUDA_PATH", "CC", "CXX")
# What the script itself calls, but for compilers and build tools.
SHELL_TOOLS = ("bash", "cat", "cp", "cut", "flock", "grep", "ls", "mkdir", "mv", "rm", "sed", "sha256sum", "tail",
               "touch", "uname")


class LlamaScript(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.base = pathlib.Path(scratch.name).resolve()
        self.cache = self.base / "a cache" / "pccsql"
        self.tools = self.base / "bin"
        self.tools.mkdir()
        for tool in SHELL_TOOLS:
            (self.tools / tool).symlink_to(shutil.which(tool))

    def stand_in(self, tool, script="exit 0"):
        path = self.tools / tool
        path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
        path.chmod(0o755)

    def llama(self, *options, **settings):
        """(status, standard output, standard error), with no tools but the stand-ins."""
        env = {name: value for name, value in os.environ.items() if name not in SETTINGS}
        env.update(PATH=str(self.tools), XDG_CACHE_HOME=str(self.base / "a cache"), **settings)
        done = subprocess.run(["bash", str(SCRIPT), *options], env=env, capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout.strip(), done.stderr.strip()

    def prefix(self, *options, **settings):
        return self.llama("--prefix-only", *options, **settings)[1]

    def install(self, *options):
        """As far as the script can tell, that kind has been made."""
        config = pathlib.Path(self.prefix(*options), "lib/cmake/llama/llama-config.cmake")
        config.parent.mkdir(parents=True)
        config.touch()
        http = pathlib.Path(self.llama("--http-prefix")[1], "httplib.cpp")
        http.parent.mkdir(exist_ok=True)
        http.touch()

    def test_each_kind_has_a_prefix_of_its_own(self):
        plain, cuda, vulkan = self.prefix("--cpu"), self.prefix("--cuda"), self.prefix("--vulkan")
        self.assertEqual(len({plain, cuda, vulkan}), 3)
        self.assertIn("-cuda-", cuda)
        self.assertIn("-vulkan-", vulkan)
        self.assertEqual(pathlib.Path(plain).parent, self.cache)
        self.assertEqual(self.prefix("--cuda", PCCSQL_BACKEND="vulkan"), cuda)
        self.assertEqual(self.prefix(PCCSQL_BACKEND="cuda"), cuda)
        self.assertEqual(self.llama("--prefix-only", "--cuda")[0], 1)
        self.install("--cuda")
        self.assertEqual(self.llama("--prefix-only", "--cuda"), (0, cuda, ""))
        self.assertEqual(self.llama("--cuda"), (0, cuda, ""))  # nothing to be made
        self.assertEqual(self.llama("--prefix-only", "--cpu")[0], 1)

    @unittest.skipIf(sys.platform == "darwin", "a Mac has Metal")
    def test_prefers_what_was_made_for_a_gpu(self):
        plain, cuda, vulkan = self.prefix("--cpu"), self.prefix("--cuda"), self.prefix("--vulkan")
        self.assertEqual(self.prefix(), plain)
        self.install("--cpu")
        self.assertEqual(self.llama("--prefix-only"), (0, plain, ""))
        self.install("--vulkan")
        self.assertEqual(self.prefix(), vulkan)
        self.install("--cuda")
        self.assertEqual(self.prefix(), cuda)
        self.assertEqual(self.llama("--prefix-only", PCCSQL_BACKEND="cpu"), (0, plain, ""))

    def refused(self, *options, **settings):
        status, output, said = self.llama(*options, **settings)
        self.assertEqual((status, output), (2, ""), said)
        self.assertFalse(pathlib.Path(self.prefix("--cpu")).exists())
        return said

    def test_refuses_what_it_does_not_know(self):
        self.assertIn("unknown option `--rocm`", self.refused("--rocm"))
        self.assertIn("--cuda and --vulkan are two libraries", self.refused("--cuda", "--vulkan"))
        self.assertIn("PCCSQL_BACKEND is `gpu`; it may be cpu, cuda, vulkan or metal", self.refused(PCCSQL_BACKEND="gpu"))
        if sys.platform != "darwin":
            self.assertIn("Metal is there on a Mac only", self.refused("--metal"))

    def test_names_what_is_missing(self):
        self.assertIn("apt-get install cmake ninja-build gcc g++ tar", self.refused("--cpu"))
        self.assertIn("apt-get install cmake ninja-build gcc g++ tar glslc", self.refused("--vulkan"))
        for tool in ("cmake", "ninja", "cc", "tar"):
            self.stand_in(tool)
        self.stand_in("c++", "exit 1")  # finds no header
        self.assertIn("apt-get install glslc libvulkan-dev spirv-headers", self.refused("--vulkan"))
        self.stand_in("glslc")
        self.stand_in("c++", "grep -q spirv || exit 0; exit 1")
        self.assertTrue(self.refused("--vulkan").endswith("apt-get install spirv-headers"))
        elsewhere = str(self.base / "elsewhere")
        said = self.refused("--cuda", CUDA_PATH=elsewhere)
        if not pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
            self.assertIn(f"needs nvcc, CUDA's compiler, which is neither in PATH nor in {elsewhere}/bin", said)
            self.assertIn("cuda-toolkit-12", said)

    def test_uses_no_other_source_than_the_expected_one(self):
        for tool in ("cmake", "ninja", "cc", "c++", "tar"):
            self.stand_in(tool)
        archive = self.base / "archive.tar.gz"
        self.assertIn(f"there is no file `{archive}`", self.refused("--cpu", PCCSQL_LLAMA_ARCHIVE=str(archive)))
        archive.write_text("something else")
        self.assertIn(f"the SHA-256 of {archive} is ", self.refused("--cpu", PCCSQL_LLAMA_ARCHIVE=str(archive)))
        self.assertEqual(list(self.cache.glob("**/*.tar.gz")), [])

    def test_passes_on_what_cuda_is_built_for(self):
        """CMake is called with the compiler that was found and the GPUs that were named; its failure is shown."""
        for tool in ("ninja", "cc", "c++", "tar"):
            self.stand_in(tool)
        self.stand_in("cmake", 'printf "%s\\n" "$@"; exit 1')
        self.stand_in("nvcc")
        pathlib.Path(self.prefix("--cuda") + ".part", "source").mkdir(parents=True)
        archive = self.base / "archive.tar.gz"
        archive.write_text("")
        (self.tools / "sha256sum").unlink()
        self.stand_in("sha256sum", "echo 832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e")
        for named, wanted in ((None, "native"), ("80;90", "80;90")):
            settings = {"PCCSQL_CUDA_ARCH": named} if named else {}
            said = self.refused("--cuda", PCCSQL_LLAMA_ARCHIVE=str(archive), **settings)
            self.assertIn("-DGGML_CUDA=ON\n", said)
            self.assertIn(f"-DCMAKE_CUDA_ARCHITECTURES={wanted}\n", said)
            self.assertIn(f"-DCMAKE_CUDA_COMPILER={self.tools / 'nvcc'}\n", said)
            self.assertIn("configuring llama.cpp failed", said)


if __name__ == "__main__":
    result = unittest.main(exit=False, argv=sys.argv).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(failed > 0)
