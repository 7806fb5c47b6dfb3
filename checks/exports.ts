/**
 * Finds exports that no other file imports. A name that only its own file uses needs no `export`; one that nothing uses is
 * dead. One pass over the syntax of all files; no types are resolved.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { entrances, ownPackages } from './rules.ts'

/** What one file exports, passes on whole (`export * from`), and takes from others. */
interface Module {
  exports: Set<string>
  passesOn: string[]
  takes: Taken[]
}

/** A name of another file; `*` stands for all its names. */
interface Taken {
  from: string
  name: string
}

/** The exports of these files that no other of them imports. */
export function unusedExports(files: readonly string[]): { file: string; name: string }[] {
  const modules = new Map(files.map((file) => [file, readModule(file)]))
  const used = new Set<string>()
  for (const { takes } of modules.values()) for (const taken of takes) use(taken)

  function use({ from, name }: Taken): void {
    const module = modules.get(from)
    const key = `${from}#${name}`
    if (!module || used.has(key)) return
    used.add(key)
    if (!module.exports.has(name)) for (const file of module.passesOn) use({ from: file, name })
  }

  return [...modules].flatMap(([file, { exports }]) => {
    if (used.has(`${file}#*`) || entrances.some((entrance) => entrance.test(file))) return []
    return [...exports].filter((name) => !used.has(`${file}#${name}`)).map((name) => ({ file, name }))
  })
}

function readModule(file: string): Module {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, { languageVersion: ts.ScriptTarget.ESNext })
  const module: Module = { exports: new Set(), passesOn: [], takes: [] }
  for (const statement of source.statements) readStatement(file, statement, module)
  if (text.includes('import(')) readLateImports(file, source, module)
  return module
}

function readStatement(file: string, statement: ts.Statement, module: Module): void {
  if (ts.isImportDeclaration(statement)) {
    const from = fileOf(file, statement.moduleSpecifier)
    if (from) module.takes.push(...namesOfImport(statement.importClause).map((name) => ({ from, name })))
  } else if (ts.isExportDeclaration(statement)) {
    readExportDeclaration(file, statement, module)
  } else if (ts.isExportAssignment(statement)) {
    module.exports.add('default')
  } else if (ts.canHaveModifiers(statement)) {
    const modifiers = ts.getModifiers(statement) ?? []
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return
    const byDefault = modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
    for (const name of byDefault ? ['default'] : namesOfDeclaration(statement)) module.exports.add(name)
  }
}

function namesOfImport(clause: ts.ImportClause | undefined): string[] {
  const bindings = clause?.namedBindings
  const named = bindings && ts.isNamedImports(bindings) ? namesOf(bindings.elements) : bindings ? ['*'] : []
  return clause?.name ? ['default', ...named] : named
}

function readExportDeclaration(file: string, statement: ts.ExportDeclaration, module: Module): void {
  const from = statement.moduleSpecifier && fileOf(file, statement.moduleSpecifier)
  const clause = statement.exportClause
  if (clause && ts.isNamedExports(clause)) {
    for (const { name } of clause.elements) module.exports.add(name.text)
    if (from) module.takes.push(...namesOf(clause.elements).map((name) => ({ from, name })))
  } else if (clause) {
    module.exports.add(clause.name.text)
    if (from) module.takes.push({ from, name: '*' })
  } else if (from) {
    module.passesOn.push(from)
  }
}

/** The names in the other file, whatever they are called in this one. */
const namesOf = (elements: ts.NodeArray<ts.ImportSpecifier | ts.ExportSpecifier>): string[] =>
  elements.map(({ name, propertyName }) => (propertyName ?? name).text)

function namesOfDeclaration(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => namesOfBinding(name))
  }
  const { name } = statement as ts.DeclarationStatement
  return name ? [name.text] : []
}

const namesOfBinding = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesOfBinding(element.name) : []))

/** `import('./file.ts')`, as a value or as a type, takes all names. */
function readLateImports(file: string, source: ts.SourceFile, module: Module): void {
  const visit = (node: ts.Node): void => {
    const argument =
      ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : undefined
    const from = argument && fileOf(file, argument)
    if (from) module.takes.push({ from, name: '*' })
    ts.forEachChild(node, visit)
  }
  visit(source)
}

/** The file that an import names, unless it is one of an installed package. */
function fileOf(file: string, specifier: ts.Expression): string | undefined {
  if (!ts.isStringLiteralLike(specifier)) return undefined
  const { text } = specifier
  return text.startsWith('.') ? join(dirname(file), text) : ownPackages[text]
}
