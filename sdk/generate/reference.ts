/** The reference of the SDK in `docs/sdk.md`, from its types and their docstrings. */
import { resolve } from 'node:path'
import ts from 'typescript'
import { operations } from '../src/generated/operations.ts'

const root = resolve(import.meta.dir, '..')
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
const cell = (text: string) => oneLine(text).replaceAll('|', '\\|')
const code = (text: string) => `\`${cell(text)}\``

type Member = ts.ClassElement | ts.TypeElement

function isShown(member: Member): boolean {
  if (member.name === undefined || ts.isPrivateIdentifier(member.name)) return false
  // the name of every error is that of its class
  if (ts.isPropertyDeclaration(member) && member.name.getText() === 'name') return false
  return (ts.getCombinedModifierFlags(member as ts.Declaration) & ts.ModifierFlags.Private) === 0
}

/** The part of a declaration before its body or its value. */
function headOf(node: ts.Node): string {
  const text = node.getText()
  const body = (node as ts.FunctionLikeDeclaration).body
  const end = body ? body.getStart() - node.getStart() : text.length
  return oneLine(text.slice(0, end)).replace(/^(?:(?:export|declare|override|async|readonly) |\*)+/, '')
}

class Reference {
  readonly #program = ts.createProgram(
    ['index.ts', 'testing/index.ts'].map((file) => resolve(root, 'src', file)),
    {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.Preserve,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      noEmit: true,
      strict: true,
      // the declarations themselves are read, not what they mean: no types of the language, browsers or Node.js
      noLib: true,
      types: [],
    },
  )
  readonly #checker = this.#program.getTypeChecker()

  /** The docstring of a symbol: the text, and its example. */
  #wordsOf(symbol: ts.Symbol): { text: string; example: string } {
    const [text = '', ...rest] = ts
      .displayPartsToString(symbol.getDocumentationComment(this.#checker))
      .split(/\n\n(?= {4})/)
    return { text: oneLine(text), example: rest.join('\n').replace(/^ {4}/gm, '') }
  }

  #rows(members: readonly Member[]): string[] {
    return members.filter(isShown).flatMap((member) => {
      const symbol = this.#checker.getSymbolAtLocation(member.name as ts.Node)
      const { text } = symbol ? this.#wordsOf(symbol) : { text: '' }
      // of several signatures, the last one is the implementation's
      if (ts.isMethodDeclaration(member) && member.body && (symbol?.declarations?.length ?? 1) > 1) return []
      return [`| ${code(headOf(member).replace(/;$/, ''))} | ${cell(text)} |`]
    })
  }

  #entry(symbol: ts.Symbol): string {
    const [declaration] = symbol.declarations ?? []
    if (!declaration) return ''
    const { text, example } = this.#wordsOf(symbol)
    const title = `#### \`${symbol.name}\``
    const sample = example && `\`\`\`ts\n${example.trim()}\n\`\`\``
    const parts = [title, text]
    if (ts.isFunctionDeclaration(declaration)) parts.push(code(headOf(declaration)))
    if (ts.isVariableDeclaration(declaration)) {
      const type = this.#checker.typeToString(
        this.#checker.getTypeAtLocation(declaration),
        declaration,
        ts.TypeFormatFlags.NoTruncation,
      )
      parts.push(code(`${symbol.name}: ${type}`))
    }
    if (ts.isTypeAliasDeclaration(declaration)) parts.push(code(headOf(declaration)))
    const members =
      ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration) ? declaration.members : []
    const rows = this.#rows([...members])
    if (rows.length > 0) parts.push(['| | |', '| --- | --- |', ...rows].join('\n'))
    parts.push(sample)
    return parts.filter(Boolean).join('\n\n')
  }

  /** All exports of a module, except generated ones. */
  of(file: string): string {
    const source = this.#program.getSourceFile(resolve(root, 'src', file))
    const module = source && this.#checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${file} is no module`)
    return this.#checker
      .getExportsOfModule(module)
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol))
      .filter((symbol) => !symbol.declarations?.[0]?.getSourceFile().fileName.includes('/generated/'))
      .map((symbol) => this.#entry(symbol))
      .join('\n\n')
  }
}

let made: Reference | undefined
const reference = () => {
  made ??= new Reference()
  return made
}

/** The exports of `@troupe/sdk`. */
export const clientReference = () => reference().of('index.ts')
/** The exports of `@troupe/sdk/testing`. */
export const testingReference = () => reference().of('testing/index.ts')

/** The methods of every resource, with their requests. */
export const resourceReference = () =>
  Object.entries(operations)
    .map(([resource, methods]) => {
      const rows = Object.entries(methods).map(([name, { method, path }]) => `| \`${name}\` | \`${method} ${path}\` |`)
      return [`#### \`troupe.${resource}\``, '', '| method | request |', '| --- | --- |', ...rows].join('\n')
    })
    .join('\n\n')
