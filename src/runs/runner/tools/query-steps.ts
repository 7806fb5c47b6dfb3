/**
 * How many steps a JMESPath query may take at most: the library runs it in one go, in the thread of all other requests,
 * and cannot be stopped. A projection evaluates its right side for each part of the value, however deep it is nested; a
 * selection of several fields lets as many copies of the value pass on.
 */
import type { JmesNode } from 'jmespath'

/** A part is compared about so often when it is sorted. */
const comparisons = 8

/** The part of a query that has been counted. */
interface Counted {
  steps: number
  /** How many copies of the value come out of it. */
  copies: number
}

/** Where a part of the query is evaluated. */
interface Place {
  /** How often. */
  times: number
  /** How many copies of the value come to it. */
  copies: number
}

/** The steps of the query on a value with so many parts: scalars, lists and objects. */
export const stepsOf = (query: JmesNode, parts: number): number => count(query, parts, { times: 1, copies: 1 }).steps

function count(node: JmesNode, parts: number, place: Place): Counted {
  const children = (node.children ?? []).filter((child) => child !== null && typeof child === 'object')
  const [left, right, condition] = children
  const whole = parts * place.copies
  switch (node.type) {
    case 'Subexpression':
    case 'IndexExpression':
    case 'Pipe':
      return after(left, parts, place, (copies) => [[right, { ...place, copies }]])
    case 'Projection':
    case 'ValueProjection':
    case 'FilterProjection': {
      const { steps, copies } = after(left, parts, place, (many) => {
        const each = { times: parts * many, copies: many }
        return [
          [condition, each],
          [right, each],
        ]
      })
      return { steps: steps + whole, copies }
    }
    case 'MultiSelectList':
    case 'MultiSelectHash':
      return together(children, parts, place, { steps: place.times })
    case 'KeyValuePair':
      return count(node.value as JmesNode, parts, place)
    case 'Literal':
      return { steps: place.times, copies: place.copies * partsOf(node.value) }
    case 'Function': {
      const isExpression = ({ type }: JmesNode) => type === 'ExpressionReference'
      const [expressions, values] = [children.filter(isExpression), children.filter((child) => !isExpression(child))]
      const { steps, copies } = together(values, parts, place, { steps: 0 })
      // for each part of the list
      const each = together(expressions, parts, { times: parts * copies, copies }, { steps: 0 })
      const own = parts * copies * (node.name?.startsWith('sort') ? comparisons : 1)
      return { steps: steps + each.steps + own, copies: each.copies }
    }
    case 'Comparator':
    case 'Flatten':
    case 'Slice':
      return together(children, parts, place, { steps: node.type === 'Comparator' ? place.times : whole })
    default:
      return together(children, parts, place, { steps: place.times })
  }
}

/** The steps of the first part, and of the others, which are applied to its result. */
function after(
  first: JmesNode | undefined,
  parts: number,
  place: Place,
  then: (copies: number) => [JmesNode | undefined, Place][],
): Counted {
  const begun = first ? count(first, parts, place) : { steps: 0, copies: place.copies }
  const rest = then(begun.copies).flatMap(([node, at]) => (node ? [count(node, parts, at)] : []))
  return { steps: sum(begun, ...rest), copies: rest.at(-1)?.copies ?? begun.copies }
}

/** Parts that get the same value, and their results side by side. */
function together(nodes: readonly JmesNode[], parts: number, place: Place, own: Pick<Counted, 'steps'>): Counted {
  const counted = nodes.map((node) => count(node, parts, place))
  return { steps: sum(own, ...counted), copies: counted.reduce((all, { copies }) => all + copies, 0) || place.copies }
}

const sum = (...counted: Pick<Counted, 'steps'>[]): number => counted.reduce((all, { steps }) => all + steps, 0)

/** The scalars, lists and objects of a value. */
const partsOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce<number>((all, part) => all + partsOf(part), 0)
    : 1
