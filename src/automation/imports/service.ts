/** Imports of operations into a Definition. They store nothing: the caller publishes what is answered. */
import type { Static } from '@sinclair/typebox'
import { type DefinitionParts, type DefinitionPlace, Definitions } from '../../authoring/definitions/definitions.ts'
import { invalid } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { importOpenApi, type OpenApiImport } from './openapi/import.ts'
import type { ImportRequest } from './schema.ts'

export class Imports {
  readonly #definitions: Definitions

  constructor(parts: DefinitionParts) {
    this.#definitions = new Definitions(parts)
  }

  /** Throws `notFound`. */
  async assertThere(caller: Caller, place: DefinitionPlace): Promise<void> {
    await this.#definitions.get(caller, place)
  }

  /** Throws `notFound`, and `validation_failed` (422) for a document or a Definition that it cannot be for. */
  async make(caller: Caller, place: DefinitionPlace, body: Static<typeof ImportRequest>): Promise<OpenApiImport> {
    const { kind } = await this.#definitions.get(caller, place)
    if (kind !== 'operations') {
      const message = `The Definition is of kind ${kind}: operations are imported into one of kind operations.`
      throw invalid([{ path: '/params/definitionId', message }])
    }
    return importOpenApi({ ...body, organizationId: caller.organizationId })
  }
}
