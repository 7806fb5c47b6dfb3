/** Whether the condition of a step holds. Pure. Source: contract 14, "Workflows". */
import { isDeepStrictEqual } from 'node:util'
import {
  type ConditionNode,
  type Operator,
  readCondition,
} from '../../../authoring/definitions/workflows/conditions.ts'
import { renderTemplate, type WorkflowValues } from '../templates.ts'

/** The size of all values that one condition looks at, as JSON: it bounds the time of its evaluation. */
export const conditionCharactersMax = 262_144

/**
 * Whether the condition holds with these values; a missing value is null. Throws `TooMuchRendered` if the values that it
 * looks at are too large.
 */
export function holds(condition: unknown, values: WorkflowValues): boolean {
  const read = readCondition(condition, '')
  // the publication of the workflow has refused it
  if ('issue' in read) throw new Error(`The condition cannot be read: ${read.issue.message}`)
  let left = conditionCharactersMax
  const evaluate = (node: ConditionNode): unknown => {
    if ('operator' in node) return results[node.operator](node.operands, evaluate)
    const value = renderTemplate(node.value, values, left)
    left -= JSON.stringify(value).length
    return value
  }
  return isTrue(evaluate(read.node))
}

type Evaluation = (operands: readonly ConditionNode[], evaluate: (node: ConditionNode) => unknown) => boolean

const binary =
  (compare: (left: unknown, right: unknown) => boolean): Evaluation =>
  ([left, right], evaluate) =>
    compare(evaluate(left!), evaluate(right!))

/** Numbers and texts have an order, each among themselves. */
const ordered = (compare: (order: number) => boolean): Evaluation =>
  binary((left, right) => {
    if (typeof left === 'number' && typeof right === 'number') return compare(left - right)
    if (typeof left === 'string' && typeof right === 'string') return compare(left < right ? -1 : left > right ? 1 : 0)
    return false
  })

const results: Record<Operator, Evaluation> = {
  and: (operands, evaluate) => operands.every((operand) => isTrue(evaluate(operand))),
  or: (operands, evaluate) => operands.some((operand) => isTrue(evaluate(operand))),
  '!': ([operand], evaluate) => !isTrue(evaluate(operand!)),
  '==': binary((left, right) => isDeepStrictEqual(left, right)),
  '!=': binary((left, right) => !isDeepStrictEqual(left, right)),
  '<': ordered((order) => order < 0),
  '<=': ordered((order) => order <= 0),
  '>': ordered((order) => order > 0),
  '>=': ordered((order) => order >= 0),
  in: binary((item, all) => {
    if (typeof all === 'string') return typeof item === 'string' && all.includes(item)
    return Array.isArray(all) && all.some((each) => isDeepStrictEqual(each, item))
  }),
}

/** As in JSONLogic: false, null, 0, the empty text and the empty list are not true. */
const isTrue = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))
