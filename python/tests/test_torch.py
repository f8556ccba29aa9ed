"""Bitmasks of torch and NumPy, and the kernel that applies them to logits."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest

import demo
import pccsql


def masks_and_logits(torch, rows, width, dtype):
    """Random masks, random logits, and what the two make, computed bit by bit."""
    generator = torch.Generator().manual_seed(rows * width)
    words = pccsql.bitmask_words(width)
    masks = torch.randint(-(1 << 31), 1 << 31, (rows, words), generator=generator, dtype=torch.int64).to(torch.int32)
    logits = torch.randn(rows, width, generator=generator).to(dtype)
    expected = logits.clone()
    for row in range(rows):
        for token in range(width):
            if not masks[row, token // 32].item() >> token % 32 & 1:
                expected[row, token] = float("-inf")
    return masks, logits, expected


class Torch(unittest.TestCase):
    def setUp(self):
        self.torch = demo.need("torch")

    def test_masks_are_those_without_torch(self):
        engine = demo.engine()
        mask = pccsql.allocate_token_bitmask(3, len(engine.vocabulary) + 100)
        self.assertEqual((mask.dtype, bool((mask == -1).all())), (self.torch.int32, True))
        plain = memoryview(bytearray(4 * mask.shape[1])).cast("i")
        matcher = engine.matcher()
        for row, text in enumerate(["SELECT", " name", " FROM employee"]):
            self.assertTrue(matcher.accept_string(text))
            matcher.fill_bitmask(mask, row)
            matcher.fill_bitmask(plain)
            self.assertEqual(mask[row].tolist(), plain.tolist())

    def test_masks_that_do_not_fit(self):
        matcher = demo.engine().matcher()
        words = pccsql.bitmask_words(len(matcher.engine.vocabulary))
        for wrong in (self.torch.zeros(1, words), self.torch.zeros(1, 2 * words, dtype=self.torch.int32)[:, ::2],
                      self.torch.zeros(1, words - 1, dtype=self.torch.int32), self.torch.zeros((), dtype=self.torch.int32)):
            with self.assertRaises(pccsql.Error):
                matcher.fill_bitmask(wrong)

    def test_logits_on_the_cpu(self):
        torch = self.torch
        for width in (1, 31, 32, 33, 200):
            for dtype in (torch.float32, torch.bfloat16, torch.float16):
                masks, logits, expected = masks_and_logits(torch, 3, width, dtype)
                some = logits.clone()
                pccsql.apply_token_bitmask_inplace(logits, masks)
                self.assertTrue(torch.equal(logits, expected))
                pccsql.apply_token_bitmask_inplace(some, masks, [2, 0])
                self.assertTrue(torch.equal(some[[0, 2]], expected[[0, 2]]))
                self.assertFalse(torch.isinf(some[1]).any())
                one = torch.zeros(width)
                pccsql.apply_token_bitmask_inplace(one, masks[0])
                self.assertEqual(torch.isinf(one).tolist(), torch.isinf(expected[0]).tolist())

    def test_logits_beyond_the_mask_go(self):
        logits = self.torch.zeros(1, 70)
        pccsql.apply_token_bitmask_inplace(logits, self.torch.full((1, 2), -1, dtype=self.torch.int32))
        self.assertEqual(self.torch.isinf(logits[0]).nonzero().flatten().tolist(), list(range(64, 70)))

    def test_what_does_not_fit_is_an_error(self):
        torch = self.torch
        for logits, mask in [(torch.zeros(2, 32), torch.zeros(1, 1, dtype=torch.int32)), (torch.zeros(1, 32), torch.zeros(1, 1)),
                             (torch.zeros(1, 32, dtype=torch.int32), torch.zeros(1, 1, dtype=torch.int32)),
                             (torch.zeros(32, 2).T, torch.zeros(2, 1, dtype=torch.int32))]:
            with self.assertRaises(pccsql.Error):
                pccsql.apply_token_bitmask_inplace(logits, mask)

    def test_rows_that_are_not_there_are_an_error(self):
        """An index that is off would leave a row as it was, or write over memory of others."""
        torch = self.torch
        for indices in ([2], [-1], [0, 5], torch.tensor([3])):
            logits = torch.zeros(2, 40)
            with self.assertRaises(pccsql.Error):
                pccsql.apply_token_bitmask_inplace(logits, torch.zeros(2, 2, dtype=torch.int32), indices)
            self.assertFalse(torch.isinf(logits).any())
        empty = torch.zeros(2, 40)
        pccsql.apply_token_bitmask_inplace(empty, torch.zeros(2, 2, dtype=torch.int32), [])
        self.assertFalse(torch.isinf(empty).any())

    def test_the_kernel_in_tritons_interpreter(self):
        """Where there is no GPU the kernel's own code runs under the interpreter that Triton brings for that."""
        demo.need("triton")
        if os.environ.get("TRITON_INTERPRET") != "1":
            again = subprocess.run([sys.executable, "-m", "unittest", "-k", "test_the_kernel_in", "test_torch"],
                                   cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True, text=True, timeout=400,
                                   env={**os.environ, "TRITON_INTERPRET": "1"})
            self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
            self.assertIn("Ran 1 test", again.stderr)
            return
        from pccsql import kernels

        kernel = kernels._triton_kernel()
        for width in (1, 33, 4096, 4097, 9000):
            masks, logits, expected = masks_and_logits(self.torch, 2, width, self.torch.float32)
            some = logits.clone()
            kernels.apply_with_triton(kernel, logits, masks)
            self.assertTrue(self.torch.equal(logits, expected), width)
            kernels.apply_with_triton(kernel, some, masks, self.torch.tensor([1, 2, -1]))  # of which two are not there
            self.assertTrue(self.torch.equal(some[1], expected[1]) and not self.torch.isinf(some[0]).any(), width)
            groups = self.torch.full_like(masks, -1)  # allowed whole, forbidden whole, and by the bit
            groups[0], groups[1, : masks.shape[1] // 2] = 0, 0
            for dtype in (self.torch.float32, self.torch.bfloat16, self.torch.float16):
                logits = self.torch.randn(2, width).to(dtype)
                by_torch = logits.clone()
                kernels.apply_with_torch(by_torch, groups)
                kernels.apply_with_triton(kernel, logits, groups)
                self.assertTrue(self.torch.equal(logits, by_torch), (width, dtype))
        wide = self.torch.zeros(1, 100)
        kernels.apply_with_triton(kernel, wide, self.torch.full((1, 2), -1, dtype=self.torch.int32))
        self.assertEqual(int(self.torch.isinf(wide).sum()), 36)

    def test_the_kernel_on_a_gpu(self):
        torch = self.torch
        if not torch.cuda.is_available():
            self.skipTest("there is no GPU")
        masks, logits, expected = masks_and_logits(torch, 5, 3000, torch.bfloat16)
        on_gpu = logits.cuda()
        pccsql.apply_token_bitmask_inplace(on_gpu, masks.cuda())
        self.assertTrue(torch.equal(on_gpu.cpu(), expected))


    def test_a_mask_in_pinned_memory_may_be_filled_again_at_once(self):
        """What comes next must not be in the logits of this step, though the copy to the GPU could still be under way."""
        torch = self.torch
        if not torch.cuda.is_available():
            self.skipTest("there is no GPU")
        rows, width = 256, 151936
        mask = torch.zeros(pccsql.get_bitmask_shape(rows, width), dtype=torch.int32, pin_memory=True)
        for _ in range(20):
            logits = torch.zeros(rows, width, device="cuda", dtype=torch.bfloat16)
            mask.zero_()
            busy = torch.randn(4096, 4096, device="cuda")
            for _ in range(10):
                busy = busy @ busy  # the GPU comes to the copy later
            pccsql.apply_token_bitmask_inplace(logits, mask)
            mask.fill_(-1)
            self.assertTrue(bool(torch.isinf(logits).all()))


class NumPy(unittest.TestCase):
    def setUp(self):
        self.numpy = demo.need("numpy")

    def test_masks_and_logits(self):
        numpy = self.numpy
        engine = demo.engine()
        width = len(engine.vocabulary)
        mask = numpy.zeros(pccsql.get_bitmask_shape(2, width), dtype=numpy.int32)
        matcher = engine.matcher()
        matcher.fill_bitmask(mask, 1)
        allowed = pccsql.allowed_tokens(mask, 1)
        self.assertTrue(allowed)
        logits = numpy.zeros((2, width + 40), dtype=numpy.float32)
        pccsql.apply_token_bitmask_inplace(logits, mask)
        self.assertTrue(numpy.isinf(logits[0]).all())
        self.assertEqual(numpy.flatnonzero(logits[1] == 0).tolist(), allowed)
        one = numpy.zeros(width, dtype=numpy.float32)
        pccsql.apply_token_bitmask_inplace(one, mask[1])
        self.assertEqual(numpy.flatnonzero(one == 0).tolist(), allowed)
        some = numpy.zeros((2, width), dtype=numpy.float32)
        pccsql.apply_token_bitmask_inplace(some, mask, [1])
        self.assertFalse(numpy.isinf(some[0]).any())

    def test_masks_that_do_not_fit(self):
        numpy = self.numpy
        matcher = demo.engine().matcher()
        words = pccsql.bitmask_words(len(matcher.engine.vocabulary))
        logits = numpy.zeros((2, 32 * words), dtype=numpy.float32)
        for indices in ([2], [-1]):
            with self.assertRaises(pccsql.Error):
                pccsql.apply_token_bitmask_inplace(logits, numpy.zeros((2, words), dtype=numpy.int32), indices)
        frozen = numpy.zeros((1, words), dtype=numpy.int32)
        frozen.setflags(write=False)
        for wrong in (frozen, numpy.zeros((1, words), dtype=numpy.int64), numpy.zeros((2, words), dtype=numpy.int32)[:, ::2]):
            with self.assertRaises(pccsql.Error):
                matcher.fill_bitmask(wrong)


if __name__ == "__main__":
    unittest.main()
