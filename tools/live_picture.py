"""docs/live.png: the page at the first alarm of sim://h1_2, whose arm is in a poor pose while the torso's torque is wrong.

    python tools/live_picture.py [OUT]    (needs node, chromium, and the viewer's packages in build/viewer)
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLI = os.environ.get("ANTAEUS_CLI", str(ROOT / "build" / "bin" / "antaeus"))
SCRIPT = """
import { createRequire } from 'node:module';
const [, , packages, executablePath, url, out] = process.argv;
const { chromium } = createRequire(packages + '/')('playwright-core');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-unsafe-swiftshader'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1120 } });
await page.goto(url);
await page.waitForFunction(() => /alarm/.test(document.querySelector('.events').textContent), null, { timeout: 120000 });
await page.waitForTimeout(2500);
await page.locator('.events button', { hasText: 'alarm' }).last().click();
await page.evaluate(() => window.scrollTo(0, 0));
await page.waitForTimeout(1500);
await page.screenshot({ path: out });
await browser.close();
"""


def main() -> None:
    packages, out = ROOT / "build/viewer/node_modules", pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "live.png").resolve()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "shot.mjs").write_text(SCRIPT, encoding="utf-8")
        watch = subprocess.Popen([CLI, "watch", "sim://h1_2", "--robot", "h1_2", "--serve", "127.0.0.1:0"],
                                 stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            url = next(line.split("page: ")[1].strip() for line in watch.stderr if line.startswith("page: "))
            subprocess.run(["node", str(folder / "shot.mjs"), str(packages), shutil.which("chromium") or "chromium", url, str(out)], check=True)
        finally:
            watch.kill()


if __name__ == "__main__":
    main()
