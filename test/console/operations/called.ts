/**
 * The operations of the API that the console's source calls: chains of its typed client (`api.v1.projects({ projectId
 * }).get(…)`) are followed to their root through names, hooks and helpers, and addresses of streams are read as text.
 */
import { join } from 'node:path'
import { Glob } from 'bun'
import ts from 'typescript'

const source = join(import.meta.dir, '../../../src/console')
const methods = new Set(['get', 'post', 'put', 'patch', 'delete'])
/** A placeholder for a path parameter, or for any word. */
const any = '{}'

/** The calls, by method: the words of a path. `whole` is false if only its end could be followed. */
interface Call {
  method: string
  words: string[]
  whole: boolean
  at: string
}

interface Chain {
  words: string[]
  whole: boolean
}

/** A function with its declaration. */
type Helper = ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression

const root: Chain = { words: ['api'], whole: true }
const unknown: Chain = { words: [], whole: false }
const then = ({ words, whole }: Chain, word: string): Chain => ({ words: [...words, word], whole })

class Reader {
  readonly calls: Call[] = []
  readonly #helpers = new Map<string, Helper>()

  constructor(files: readonly ts.SourceFile[]) {
    for (const file of files) {
      for (const statement of file.statements) {
        if (ts.isFunctionDeclaration(statement) && statement.name) this.#helpers.set(statement.name.text, statement)
        if (!ts.isVariableStatement(statement)) continue
        for (const { name, initializer } of statement.declarationList.declarations) {
          const isHelper = initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))
          if (ts.isIdentifier(name) && isHelper) this.#helpers.set(name.text, initializer)
        }
      }
    }
    for (const file of files) this.#visit(file, file.fileName)
  }

  #visit(node: ts.Node, at: string): void {
    if (ts.isPropertyAccessExpression(node) && methods.has(node.name.text)) {
      const chain = this.#follow(node.expression, 0)
      if (chain.words.length > 0) this.calls.push({ method: node.name.text.toUpperCase(), ...chain, at })
    }
    if (ts.isTemplateExpression(node)) {
      const text = node.head.text + node.templateSpans.map(({ literal }) => any + literal.text).join('')
      const [, path] = /(?:^|\{\})(\/api\/[^?\s]*(?:stream|changes)|\/api\/oauth\/start\/\{\})$/.exec(text) ?? []
      if (path) this.calls.push({ method: 'GET', words: path.slice(1).split('/'), whole: true, at })
    }
    ts.forEachChild(node, (child) => this.#visit(child, at))
  }

  #follow(node: ts.Node, depth: number): Chain {
    if (depth > 20) return unknown
    const on = (next: ts.Node) => this.#follow(next, depth + 1)
    if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node))
      return on(node.expression)
    if (ts.isConditionalExpression(node)) {
      const [one, other] = [on(node.whenTrue), on(node.whenFalse)]
      return one.words.length > 0 ? one : other
    }
    if (ts.isPropertyAccessExpression(node)) {
      if (ts.isPrivateIdentifier(node.name)) return node.name.text === '#api' ? root : unknown
      const { expression } = node
      const answered = ts.isCallExpression(expression) ? this.#partOf(expression, node.name.text, depth) : undefined
      return answered ?? then(on(expression), node.name.text)
    }
    if (ts.isElementAccessExpression(node)) {
      const { argumentExpression: word } = node
      return then(on(node.expression), ts.isStringLiteral(word) ? word.text : any)
    }
    if (ts.isCallExpression(node)) {
      if (ts.isIdentifier(node.expression)) {
        const { text } = node.expression
        if (text === 'useApi' || text === 'createApi' || text === 'apiOf') return root
        const helper = this.#helpers.get(text)
        const answered =
          helper &&
          this.#answersOf(helper)
            .map(on)
            .find(({ words }) => words.length > 0)
        if (answered) return answered
      }
      // a path parameter is given in an object
      return node.arguments.length > 0 ? then(on(node.expression), any) : on(node.expression)
    }
    if (ts.isArrowFunction(node)) return this.#answersOf(node).map(on)[0] ?? unknown
    if (ts.isIdentifier(node)) return this.#declared(node, depth)
    return unknown
  }

  /** The result of a helper: its expression, or its return value. */
  #answersOf(helper: Helper): ts.Expression[] {
    const { body } = helper
    if (!body) return []
    if (!ts.isBlock(body)) return [body]
    return body.statements.flatMap((each) => (ts.isReturnStatement(each) && each.expression ? [each.expression] : []))
  }

  /** A member of the object that a helper returns; `{ api }` of any helper is the client. */
  #partOf(call: ts.CallExpression, part: string, depth: number): Chain | undefined {
    if (!ts.isIdentifier(call.expression)) return undefined
    if (part === 'api') return root
    const helper = this.#helpers.get(call.expression.text)
    if (!helper) return undefined
    for (const answer of this.#answersOf(helper)) {
      const object = ts.isParenthesizedExpression(answer) ? answer.expression : answer
      if (!ts.isObjectLiteralExpression(object)) continue
      for (const member of object.properties) {
        if (member.name?.getText() !== part) continue
        if (ts.isPropertyAssignment(member)) return this.#follow(member.initializer, depth + 1)
        if (ts.isShorthandPropertyAssignment(member)) return this.#declared(member.name, depth + 1)
      }
    }
    return undefined
  }

  /** The nearest declaration of a name. A parameter called `api` is the client. */
  #declared(name: ts.Identifier, depth: number): Chain {
    for (let around: ts.Node = name; around; around = around.parent) {
      const found = this.#declaredIn(around, name.text, depth)
      if (found) return found
    }
    return name.text === 'api' ? root : unknown
  }

  #declaredIn(scope: ts.Node, name: string, depth: number): Chain | undefined {
    if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) return undefined
    for (const statement of scope.statements) {
      if (!ts.isVariableStatement(statement)) continue
      for (const { name: target, initializer } of statement.declarationList.declarations) {
        const found = initializer && this.#bound(target, initializer, name, depth)
        if (found && found.words.length > 0) return found
      }
    }
    return undefined
  }

  #bound(target: ts.BindingName, value: ts.Expression, name: string, depth: number): Chain | undefined {
    if (ts.isIdentifier(target)) return target.text === name ? this.#follow(value, depth + 1) : undefined
    for (const element of target.elements) {
      if (!ts.isBindingElement(element) || element.name.getText() !== name) continue
      const part = element.propertyName?.getText().replaceAll(/['"]/g, '') ?? name
      const answered = ts.isCallExpression(value) ? this.#partOf(value, part, depth) : undefined
      return answered ?? then(this.#follow(value, depth + 1), part)
    }
    return undefined
  }
}

/** All calls in the files of the console. */
export async function callsOfConsole(): Promise<Call[]> {
  const names = [...new Glob('**/*.{ts,tsx}').scanSync(source)].filter((name) => !name.startsWith('api/'))
  const files = await Promise.all(
    names.map(async (name) => {
      const kind = name.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
      return ts.createSourceFile(name, await Bun.file(join(source, name)).text(), ts.ScriptTarget.Latest, true, kind)
    }),
  )
  return new Reader(files).calls
}

/** Whether the call is one of this operation; for a chain that was followed only at its end, the end decides. */
export function isCallOf({ method, words, whole }: Call, operation: { method: string; path: string }): boolean {
  if (method !== operation.method.toUpperCase()) return false
  const path = operation.path.slice(1).split('/')
  const end = whole ? path : path.slice(-words.length)
  if (end.length !== words.length) return false
  // one word is ambiguous: many resources have a list of members
  if (!whole && words.filter((word) => word !== any).length < 2) return false
  return end.every((word, place) => {
    const called = words[place]
    return word.startsWith('{') ? called !== 'api' && called !== 'v1' : called === word || called === any
  })
}
