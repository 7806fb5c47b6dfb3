/**
 * Parameters of operations. Path and header parameters mean the same everywhere and are components, named as written or by
 * the schema's own `parameter`, as are query parameters with that keyword. Filters belong to their list. A parameter is
 * often named like a schema (`AgentId`): the suffix keeps the types apart that generated clients have for both.
 */
import type { TObject, TSchema } from '@sinclair/typebox'
import type { Schemas } from './schemas.ts'

type Place = 'path' | 'query' | 'header'

const component = (name: string) => ({ $ref: `#/components/parameters/${name}` })
const pascalCase = (name: string) => name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
/** The conventional spelling: `Idempotency-Key`. */
const headerCase = (name: string) => name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())

const organization = {
  name: 'X-Troupe-Organization',
  in: 'header',
  required: false,
  description:
    'The organization that a session acts in, by id or slug; by default the one that the user has belonged to longest. An ' +
    'API key always acts in its own organization.',
  schema: { type: 'string', minLength: 1, maxLength: 63, examples: ['default'] },
}

export class Parameters {
  readonly #components = new Map<string, object>()

  constructor(private readonly schemas: Schemas) {}

  /** The shared parameters by name. */
  get components(): Record<string, object> {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** The parameters of a schema. Throws if two different ones have the same name. */
  describe(place: Place, schema: TObject | undefined): object[] {
    if (!schema) return []
    return Object.entries(schema.properties).map(([name, property]) => {
      const parameter = this.#parameter(place, name, property, schema.required ?? [])
      if (place === 'query' && !property.parameter) return parameter
      const title = property.parameter ?? pascalCase(name)
      return this.#shared(place === 'query' ? title : `${title}Parameter`, parameter)
    })
  }

  /** The header with which a session names its organization. */
  ofOrganization = (): object => this.#shared('OrganizationParameter', organization)

  #parameter(place: Place, name: string, schema: TSchema, needed: string[]): object {
    const { description = schema.description ?? name, ...rest } = this.schemas.describe(schema, true)
    return {
      name: place === 'header' ? headerCase(name) : name,
      in: place,
      required: place === 'path' || (needed.includes(name) && schema.default === undefined),
      description,
      schema: rest,
    }
  }

  #shared(name: string, parameter: object): object {
    const known = this.#components.get(name)
    if (known && JSON.stringify(known) !== JSON.stringify(parameter)) {
      throw new Error(`Two parameters are named ${name}`)
    }
    this.#components.set(name, parameter)
    return component(name)
  }
}
