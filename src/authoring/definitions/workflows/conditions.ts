/**
 * Conditions of workflow steps: trees like those of JSONLogic, and comparisons over placeholders as text. They are data
 * and never code. Pure. Source: contract 14, "Workflows"; `automation/workflows/steps/conditions.ts` evaluates them.
 */
import type { Issue } from '../../../platform/http/answers/errors.ts'
import { isObject, pointer } from '../../../platform/json.ts'
import { placeholdersIn } from '../placeholders.ts'

/** The least and the greatest number of operands, by operator. */
const operators = {
  and: [1, 100],
  or: [1, 100],
  '!': [1, 1],
  '==': [2, 2],
  '!=': [2, 2],
  '<': [2, 2],
  '<=': [2, 2],
  '>': [2, 2],
  '>=': [2, 2],
  in: [2, 2],
} as const satisfies Record<string, readonly [number, number]>
export type Operator = keyof typeof operators

/** An operator with its operands, or a value that may have placeholders. */
export type ConditionNode = { operator: Operator; operands: ConditionNode[] } | { value: unknown }

const conditionNodesMax = 100
const conditionDepthMax = 10

const shownOperators = new Intl.ListFormat('en', { type: 'disjunction' }).format(Object.keys(operators))

/** A placeholder, a number, a word of JSON, or a text in double quotes. */
const operand = String.raw`\{\{[^{}]*\}\}|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|"(?:[^"\\]|\\.)*"`
const comparison = new RegExp(`^\\s*(${operand})\\s*(==|!=|<=|>=|<|>|in)\\s*(${operand})\\s*$`)
const loneOperand = /^\s*(\{\{[^{}]*\}\})\s*$/
const textCharactersMax = 2_000

/** Their operands are conditions themselves: a text is a comparison. */
const logical: ReadonlySet<string> = new Set<Operator>(['and', 'or', '!'])

/** The condition, or the first problem with it, if there is one. */
export function readCondition(condition: unknown, path: string): { node: ConditionNode } | { issue: Issue } {
  const reading = new Reading()
  const node = reading.condition(condition, path, 1)
  return reading.issue ? { issue: reading.issue } : { node }
}

class Reading {
  issue: Issue | undefined
  #nodes = 0

  condition(value: unknown, path: string, depth: number): ConditionNode {
    return typeof value === 'string' ? this.#text(value, path) : this.#tree(value, path, depth)
  }

  /** `{{params.sum}} > 100`, or a placeholder alone. */
  #text(text: string, path: string): ConditionNode {
    if (!this.#counts(path)) return { value: null }
    if (text.length > textCharactersMax) {
      return this.#refuse(path, `May have at most ${textCharactersMax.toLocaleString('en')} characters; use a tree.`)
    }
    const alone = loneOperand.exec(text)
    if (alone) return { value: alone[1] }
    const found = comparison.exec(text)
    if (!found) {
      const message =
        'Is no comparison: write a placeholder, or two operands around ==, !=, <, <=, >, >= or in, like {{params.sum}} > 100 ' +
        'or {{params.kind}} == "new". Use a tree like {"and": […]} for more.'
      return this.#refuse(path, message)
    }
    const [, left = '', operator, right = ''] = found
    return { operator: operator as Operator, operands: [this.#written(left, path), this.#written(right, path)] }
  }

  #tree(value: unknown, path: string, depth: number): ConditionNode {
    if (!this.#counts(path)) return { value: null }
    if (!isObject(value)) return this.#value(value, path)
    if (depth > conditionDepthMax)
      return this.#refuse(path, `A condition may be at most ${conditionDepthMax} operators deep.`)
    const [name = '', ...others] = Object.keys(value)
    if (others.length > 0 || !Object.hasOwn(operators, name)) {
      return this.#refuse(
        path,
        `Must be an object with one operator: ${shownOperators}. Placeholders stand for values.`,
      )
    }
    const operator = name as Operator
    const at = `${path}${pointer(operator)}`
    const given = value[operator]
    // `{"!": x}` is `{"!": [x]}`
    const operands = Array.isArray(given) ? given : operator === '!' ? [given] : undefined
    const [least, most] = operators[operator]
    if (!operands || operands.length < least || operands.length > most) {
      const count = least === most ? `${least}` : `${least} to ${most}`
      return this.#refuse(at, `Must be a list of ${count} ${most === 1 ? 'operand' : 'operands'}.`)
    }
    return {
      operator,
      operands: operands.map((each, index) => {
        if (this.issue) return { value: null }
        const place = `${at}/${index}`
        return logical.has(operator) ? this.condition(each, place, depth + 1) : this.#tree(each, place, depth + 1)
      }),
    }
  }

  /** A list is a value as it is: its items are no conditions. */
  #value(value: unknown, path: string): ConditionNode {
    if (!Array.isArray(value)) return { value }
    if (!this.#counts(path, value.length)) return { value: null }
    const misplaced = value.findIndex((item) => typeof item === 'object' && item !== null)
    return misplaced === -1
      ? { value }
      : this.#refuse(`${path}/${misplaced}`, 'Must be a text, a number, true, false or null.')
  }

  #written(text: string, path: string): ConditionNode {
    if (text.startsWith('{{')) return { value: text }
    try {
      const value: unknown = JSON.parse(text)
      const isTemplate = typeof value === 'string' && placeholdersIn(value).length > 0
      return isTemplate
        ? this.#refuse(path, 'A placeholder stands alone, without quotes: {{params.x}} == "new".')
        : { value }
    } catch {
      return this.#refuse(path, `${text.slice(0, 64)} is no text of JSON.`)
    }
  }

  #counts(path: string, more = 1): boolean {
    this.#nodes += more
    if (this.#nodes <= conditionNodesMax) return true
    this.#refuse(path, `A condition may have at most ${conditionNodesMax} operators and operands.`)
    return false
  }

  #refuse(path: string, message: string): ConditionNode {
    this.issue ??= { path, message }
    return { value: null }
  }
}

/** The problem with a condition beyond its placeholders; none if it is not given. */
export function conditionIssues(condition: unknown, path: string): Issue[] {
  if (condition === undefined) return []
  const read = readCondition(condition, path)
  return 'issue' in read ? [read.issue] : []
}
