/** HEAD in the API document: every GET also answers HEAD, with the same headers and no body. */
import type { Detail } from './operation.ts'

const isReference = (response: object): response is { $ref: string } => '$ref' in response
const withoutBody = ({ content: _content, ...bare }: { content?: unknown }): object => bare
const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** The HEAD operations of a document, and the answers that they share. */
export class Heads {
  readonly #components: Record<string, object> = {}

  /** Takes the shared answers by name. */
  constructor(private readonly shared: Record<string, object>) {}

  /** The answers that HEAD operations share, by name. */
  get components(): Record<string, object> {
    return this.#components
  }

  /** The HEAD operation of this GET. */
  of({ operationId = '', summary = operationId, description, responses = {}, ...rest }: Detail): Detail {
    return {
      ...rest,
      operationId: `head${capital(operationId)}`,
      summary: `${summary}: headers only`,
      description: `Like \`GET\`, without the body.${description ? `\n\n${description}` : ''}`,
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [status, this.#bare(response)]),
      ),
    }
  }

  #bare(response: object): object {
    if (!isReference(response)) return withoutBody(response)
    const name = response.$ref.split('/').at(-1) as string
    this.#components[`${name}Head`] = withoutBody(this.shared[name] ?? {})
    return { $ref: `#/components/responses/${name}Head` }
  }
}
