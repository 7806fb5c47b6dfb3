/**
 * Preloaded into a server under test: each function of the source counts its calls. SIGUSR2 writes the functions called
 * since the last signal into the file of `COUNT_FUNCTIONS_FILE`, one `file:line name` a line, and starts again.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { plugin } from 'bun'
import ts from 'typescript'

const root = join(import.meta.dir, '..')
const called = new Set<string>()
Object.assign(globalThis, { __called: (name: string) => void called.add(name) })

plugin({
  name: 'count-functions',
  setup({ onLoad }) {
    onLoad({ filter: new RegExp(`^${root}/(src|storage|machines)/.*\\.ts$`) }, async ({ path }) => ({
      contents: counted(await Bun.file(path).text(), path),
      loader: 'ts',
    }))
  },
})

/** The source with a call of `__called` at the beginning of each function. */
function counted(text: string, path: string): string {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const insertions: { at: number; text: string }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const body = node.body as ts.Node
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      const name = nameOf(node)
      const call = `__called(${JSON.stringify(`${relative(root, path)}:${line + 1} ${name}`)})`
      if (ts.isBlock(body)) {
        if (!mustBeginWithSuper(body)) insertions.push({ at: body.getStart(source) + 1, text: `${call};` })
      } else insertions.push({ at: body.getStart(source), text: `(${call}, ` }, { at: body.getEnd(), text: ')' })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  // at the same position an outer function comes first when it opens, and last when it closes: insertion order does
  // both
  return insertions
    .map((insertion, order) => ({ ...insertion, order }))
    .sort((a, b) => b.at - a.at || (a.text === ')' ? a.order - b.order : b.order - a.order))
    .reduce((made, { at, text: added }) => made.slice(0, at) + added + made.slice(at), text)
}

/** Constructors of derived classes are not counted: nothing may come before `super(…)` in all of them. */
const mustBeginWithSuper = (body: ts.Block) => body.getText().includes('super(')

function nameOf(node: ts.Node): string {
  const { name } = node as ts.NamedDeclaration
  if (name) return name.getText()
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)
    ? parent.name.getText()
    : 'function'
}

process.on('SIGUSR2', () => {
  const file = process.env.COUNT_FUNCTIONS_FILE as string
  writeFileSync(`${file}.new`, [...called].sort().join('\n'))
  called.clear()
  renameSync(`${file}.new`, file)
})
