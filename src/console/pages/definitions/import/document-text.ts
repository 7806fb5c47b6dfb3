/** Parses an OpenAPI document, as JSON or YAML. */
import { readJson } from '../../../../platform/http/body/json-lines.ts'

type OpenApiText = { document: Record<string, unknown> } | { fault: string }

/** The most YAML aliases that a document may have, nested ones included: a small text must not expand to a large value. */
const aliasesMax = 100

const read = (value: unknown): OpenApiText =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { document: value as Record<string, unknown> }
    : { fault: 'The document must be a JSON or YAML object.' }

export async function documentIn(text: string): Promise<OpenApiText> {
  try {
    return read(JSON.parse(text))
  } catch {
    if (/^\s*[{[]/.test(text))
      return { fault: `This is not valid JSON: ${readJson(text).fault?.message ?? 'The text ends too early.'}` }
  }
  // loads on first use
  const { parse } = await import('yaml')
  try {
    return read(parse(text, { maxAliasCount: aliasesMax, uniqueKeys: true }))
  } catch (error) {
    return { fault: `This is neither JSON nor YAML: ${(error as Error).message.split('\n', 1)[0]}` }
  }
}
