/**
 * Placeholders in the texts of a source: `{{input.x}}`, `{{run.context.x}}`, `{{variables.NAME}}` in the handler of an operation,
 * `{{params.x}}`, `{{steps.id.output.y}}` in a workflow. Every `{{` begins one. Source: contract 3, "placeholder".
 */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { issuesMax } from '../../platform/http/validation/deferred-validation.ts'
import { pointer } from '../../platform/json.ts'
import { entriesOf } from './loose.ts'

const part = '\\.[a-zA-Z0-9_-]{1,64}'

/** By what they begin with: what they look like, and how that is shown. */
const forms = {
  input: { shown: '{{input.x}}', pattern: new RegExp(`^input(?:${part})+$`) },
  run: { shown: '{{run.context.x}}', pattern: new RegExp(`^run\\.context(?:${part})+$`) },
  variables: { shown: '{{variables.NAME}}', pattern: /^variables\.[A-Z][A-Z0-9_]{0,127}$/ },
  params: { shown: '{{params.x}}', pattern: new RegExp(`^params(?:${part})+$`) },
  item: { shown: '{{item.x}}', pattern: new RegExp(`^item(?:${part})*$`) },
  index: { shown: '{{index}}', pattern: /^index$/ },
  steps: { shown: '{{steps.id.output.x}}', pattern: new RegExp(`^steps${part}\\.output(?:${part})*$`) },
} as const
export type Root = keyof typeof forms

/** `{{input.order.id}}` has the root `input` and the path `order`, `id`. */
export interface Placeholder {
  root: Root
  path: string[]
}

/** Longer than any path into a value that a request can have. */
const charactersMax = 4_096

/** Parses the text between the braces; undefined if it is not a placeholder. */
export function readPlaceholder(inner: string, roots: readonly Root[]): Placeholder | undefined {
  if (inner.length > charactersMax) return undefined
  const root = roots.find((each) => forms[each].pattern.test(inner))
  return root && { root, path: inner.split('.').slice(1) }
}

/** The text between the braces of each placeholder; undefined for an unterminated one. */
export function placeholdersIn(text: string): (string | undefined)[] {
  const found: (string | undefined)[] = []
  for (let start = text.indexOf('{{'); start !== -1; ) {
    const end = text.indexOf('}}', start + 2)
    if (end === -1) return [...found, undefined]
    found.push(text.slice(start + 2, end))
    start = text.indexOf('{{', end + 2)
  }
  return found
}

/** All texts of a value, and the keys of its objects, with where they are. */
export function* textsIn(value: unknown, path: string): Generator<{ path: string; text: string; isKey?: true }> {
  if (typeof value === 'string') yield { path, text: value }
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* textsIn(item, `${path}/${index}`)
  } else {
    for (const [key, item] of entriesOf(value)) {
      const at = `${path}${pointer(key)}`
      if (key.includes('{{')) yield { path: at, text: key, isKey: true }
      else yield* textsIn(item, at)
    }
  }
}

function faultOf(inner: string | undefined, shown: string): string {
  if (inner === undefined) return 'Has a {{ without its }}.'
  return inner.length > charactersMax
    ? `Has a placeholder of more than ${charactersMax.toLocaleString('en')} characters.`
    : `Takes only placeholders like ${shown}.`
}

/** In the texts of one value. */
const placeholdersMax = 1_000

/** Placeholders of a value that are too many or not of one of these forms, one issue for each text, up to a hundred. */
export function placeholderIssues(value: unknown, path: string, roots: readonly Root[]): Issue[] {
  const shown = new Intl.ListFormat('en', { type: 'disjunction' }).format(roots.map((root) => forms[root].shown))
  const issues: Issue[] = []
  let count = 0
  for (const { path: at, text, isKey } of textsIn(value, path)) {
    if (issues.length === issuesMax) break
    if (isKey) {
      issues.push({ path: at, message: 'A placeholder stands in a value, not in a name.' })
      continue
    }
    const found = placeholdersIn(text)
    count += found.length
    if (count > placeholdersMax) {
      const message = `May have at most ${placeholdersMax.toLocaleString('en')} placeholders; this is beyond them.`
      return [...issues, { path: at, message }]
    }
    for (const inner of found) {
      if (inner !== undefined && readPlaceholder(inner, roots)) continue
      issues.push({ path: at, message: faultOf(inner, shown) })
      break
    }
  }
  return issues
}

/** The steps that the placeholders of a value name, each with where it is named. */
export function stepsNamed(value: unknown, path: string): { path: string; step: string }[] {
  const named: { path: string; step: string }[] = []
  let count = 0
  for (const { path: at, text, isKey } of textsIn(value, path)) {
    if (isKey) continue
    const found = placeholdersIn(text)
    count += found.length
    // too many: see `placeholderIssues`
    if (count > placeholdersMax) break
    for (const inner of found) {
      const step = inner === undefined ? undefined : readPlaceholder(inner, ['steps'])?.path[0]
      if (step !== undefined) named.push({ path: at, step })
    }
  }
  return named
}

/** Whether a value uses the context of the run. */
export function usesRunContext(value: unknown): boolean {
  for (const { text } of textsIn(value, '')) {
    for (const inner of placeholdersIn(text)) {
      if (inner !== undefined && readPlaceholder(inner, ['run'])) return true
    }
  }
  return false
}

/** The names of the variables that stand anywhere in a value. */
export function variablesIn(value: unknown): Set<string> {
  const names = new Set<string>()
  for (const { text } of textsIn(value, '')) {
    for (const inner of placeholdersIn(text)) {
      const found = inner === undefined ? undefined : readPlaceholder(inner, ['variables'])
      if (found?.path[0] !== undefined) names.add(found.path[0])
    }
  }
  return names
}
