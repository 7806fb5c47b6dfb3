/**
 * Replaces the placeholders of a workflow by values: `{{params.x}}`, `{{steps.id.output.y}}`. Inserted values are not scanned
 * for placeholders; a missing value is null. Pure. Source: contract 3, "workflow source"; contract 6, "Precise points".
 */
import { readPlaceholder } from '../../authoring/definitions/placeholders.ts'

export interface WorkflowValues {
  params: unknown
  /** Outputs by step id; failed steps have none. */
  outputs: ReadonlyMap<string, unknown>
  /** The item of a list, and its index. */
  element?: { item: unknown; index: number }
}

/** The result is too large. */
export class TooMuchRendered extends Error {
  override readonly name = 'TooMuchRendered'
}

const roots = ['params', 'steps', 'item', 'index'] as const
const placeholder = /\{\{(.*?)\}\}/gs
const lone = /^\{\{([^{}]*)\}\}$/

/**
 * A JSON value with its values. A text that is a single placeholder becomes the value itself; inside other text a value is
 * inserted as text. Throws `TooMuchRendered` if the JSON of the result exceeds `charactersMax`.
 */
export function renderTemplate(template: unknown, values: WorkflowValues, charactersMax: number): unknown {
  let left = charactersMax
  const count = <Rendered>(rendered: Rendered): Rendered => {
    left -= JSON.stringify(rendered)?.length ?? 0
    if (left < 0) throw new TooMuchRendered(`More than ${charactersMax} characters.`)
    return rendered
  }
  const render = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const alone = lone.exec(value)
      return count(alone ? valueAt(alone[1] as string, values) : renderText(value, values, left))
    }
    if (Array.isArray(value)) return value.map(render)
    if (typeof value !== 'object' || value === null) return count(value)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [count(key), render(item)]))
  }
  return render(template)
}

/** The value itself of a text that is a single placeholder, whatever its size; null for another text. */
export function valueOfPlaceholder(text: string, values: WorkflowValues): unknown {
  const alone = lone.exec(text)
  return alone ? valueAt(alone[1] as string, values) : null
}

function renderText(text: string, values: WorkflowValues, charactersMax: number): string {
  let length = text.length
  return text.replace(placeholder, (_, inner: string) => {
    const written = textOf(valueAt(inner, values))
    length += written.length
    if (length > charactersMax + text.length) throw new TooMuchRendered(`More than ${charactersMax} characters.`)
    return written
  })
}

/** The value of a placeholder; null if there is none. */
function valueAt(inner: string, { params, outputs, element }: WorkflowValues): unknown {
  const found = readPlaceholder(inner, roots)
  if (!found) return null
  const [first = '', ...rest] = found.path
  // `steps.id.output.y` is a path into the output of the step, `params.x` into the params
  const isOfStep = found.root === 'steps'
  if (found.root === 'index') return element?.index ?? null
  let value = isOfStep ? outputs.get(first) : found.root === 'item' ? element?.item : params
  for (const name of isOfStep ? rest.slice(1) : found.path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
    value = (value as Record<string, unknown>)[name]
  }
  return value ?? null
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value === null ? '' : JSON.stringify(value)
}
