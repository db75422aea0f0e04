// Builds console/dist, the static files that the program embeds. The same sources and package-lock.json give the same
// bytes: names carry no hash and files no time. `node build.mjs --check` compares instead of writing.
import { build } from 'esbuild';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import path from 'node:path';

const here = path.dirname(new URL(import.meta.url).pathname);
const dist = path.join(here, 'dist');
const bytesMax = 400 * 1024; // of all files, compressed

const result = await build({
  absWorkingDir: here,
  // The editor is a file of its own, loaded when an editor is first shown, so that the first page does not wait for it.
  entryPoints: { app: 'src/app.tsx', editor: 'src/editor/editor.ts', app_css: 'src/style.css' },
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  outdir: 'dist',
  write: false,
});
const files = new Map(result.outputFiles.map((file) => [path.basename(file.path).replace('app_css', 'app'), Buffer.from(file.contents)]));
for (const name of await readdir(path.join(here, 'static'))) {
  files.set(name, await readFile(path.join(here, 'static', name)));
}

let size = 0;
for (const [, bytes] of files) size += gzipSync(bytes, { level: 9 }).length;
if (size > bytesMax) throw new Error(`${size} bytes compressed, over the limit of ${bytesMax}`);

if (process.argv.includes('--check')) {
  const committed = (await readdir(dist)).sort();
  if (committed.join() !== [...files.keys()].sort().join()) throw new Error(`console/dist has ${committed}; the build makes ${[...files.keys()]}`);
  for (const [name, bytes] of files) {
    if (!bytes.equals(await readFile(path.join(dist, name)))) throw new Error(`console/dist/${name} is not what the sources build: run npm run build`);
  }
} else {
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  for (const [name, bytes] of files) await writeFile(path.join(dist, name), bytes);
}
console.log([...files].map(([name, bytes]) => `${name} ${bytes.length}`).join(', ') + `; ${size} compressed`);
