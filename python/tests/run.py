"""Runs the tests of this folder; the last line is `N passed, N failed`, and what was skipped has a line with its name."""

import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Result(unittest.TextTestResult):
    """Counts what passed, and says what took long."""

    passed = 0

    def startTest(self, test):
        self.begin = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        if (took := time.monotonic() - self.begin) > 20:
            print(f"{test.id()} took {took:.0f} s", flush=True)
        super().stopTest(test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main():
    sys.path.insert(0, str(HERE))
    loader = unittest.TestLoader()
    if len(sys.argv) > 1:
        loader.testNamePatterns = [f"*{name}*" for name in sys.argv[1:]]
    suite = loader.discover(str(HERE), top_level_dir=str(HERE))
    result = unittest.TextTestRunner(stream=sys.stdout, resultclass=Result, verbosity=0).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test.id().replace(':', ' ')}: {reason}")
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    print(f"{result.passed} passed, {failed} failed")
    sys.exit(failed > 0 or result.passed == 0)


if __name__ == "__main__":
    main()
