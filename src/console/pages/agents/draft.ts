/**
 * Draft of a revision: the JSON text of the request that publishes it. The form edits this text, so that fields unknown to it are
 * kept. Pure.
 */
import type { AgentContent } from '../../../authoring/agents/content.ts'

export interface Draft {
  content: Partial<AgentContent> & Record<string, unknown>
  grantedOperations?: string[]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses the draft; undefined for invalid JSON or a shape that the form cannot show. */
export function draftIn(text: string): Draft | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || !isObject(value.content)) return undefined
    const { content, grantedOperations = [] } = value
    if (!Array.isArray(grantedOperations) || !grantedOperations.every((each) => typeof each === 'string'))
      return undefined
    if (content.tools !== undefined && !(Array.isArray(content.tools) && content.tools.every(isObject)))
      return undefined
    if (content.model !== undefined && !isObject(content.model)) return undefined
    return value as unknown as Draft
  } catch {
    return undefined
  }
}

/** Initial draft of an Agent without revisions. */
export const firstDraft = (name: string): Draft => ({
  content: {
    instructions: `You are ${name}. Describe the task here, what may be assumed, and the format of the answer.`,
    tools: [{ kind: 'builtin', name: 'clock' }],
    maxSteps: 20,
  },
  grantedOperations: [],
})

/** Sets a field of the content; undefined removes it. */
export function withField(draft: Draft, field: string, value: unknown): Draft {
  const { [field]: _, ...rest } = draft.content
  return { ...draft, content: value === undefined ? rest : { ...rest, [field]: value } }
}

/** Sets a field of the model choice; a choice without fields is removed. */
export function withModel(draft: Draft, field: 'provider' | 'model', value: string): Draft {
  const { [field]: _, ...rest } = draft.content.model ?? {}
  const model = value === '' ? rest : { ...rest, [field]: value }
  return withField(draft, 'model', Object.keys(model).length === 0 ? undefined : model)
}

/** Adds or removes a built-in tool. */
export function withBuiltin(
  draft: Draft,
  name: 'clock' | 'calculator' | 'echo' | 'fetch' | 'json' | 'time',
  wanted: boolean,
): Draft {
  const others = (draft.content.tools ?? []).filter((tool) => !(tool.kind === 'builtin' && tool.name === name))
  return withField(draft, 'tools', wanted ? [...others, { kind: 'builtin', name }] : others)
}

/** One name per line. */
export const withGrants = (draft: Draft, lines: string): Draft => ({
  ...draft,
  grantedOperations: lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== ''),
})
