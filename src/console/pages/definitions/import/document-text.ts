/** What the text of an OpenAPI document says, as JSON or as YAML. */
import { readJson } from '../../../ui/text/json-text.ts'

export type OpenApiText = { document: Record<string, unknown> } | { fault: string }

/** How often a document may say `*alias`, counted with what aliases lead to: a small text must not become a large value. */
const aliasesMax = 100

const read = (value: unknown): OpenApiText =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { document: value as Record<string, unknown> }
    : { fault: 'This is not a document: it is no object.' }

export async function documentIn(text: string): Promise<OpenApiText> {
  try {
    return read(JSON.parse(text))
  } catch {
    if (/^\s*[{[]/.test(text))
      return { fault: `This is not JSON: ${readJson(text).fault?.message ?? 'it has no end'}.` }
  }
  // loaded when first used
  const { parse } = await import('yaml')
  try {
    return read(parse(text, { maxAliasCount: aliasesMax, uniqueKeys: true }))
  } catch (error) {
    return { fault: `This is neither JSON nor YAML: ${(error as Error).message.split('\n', 1)[0]}` }
  }
}
