/** The options of a route, read at declaration by the guard and the API document. */
import type { TObject, TSchema } from '@sinclair/typebox'
import { type ErrorCode, errorCatalogue } from '../answers/catalogue.ts'
import type { Find } from './find.ts'
import type { Permission } from './permissions.ts'

/** The bodies of a route that accepts more than JSON of the usual size. */
export interface Consumes {
  'application/json'?: { schema: TSchema; bytesMax: number }
  /** The schema converts text fields; files are `File` objects, a list of them where the schema is a list. */
  'multipart/form-data'?: { schema: TObject; bytesMax: number }
}

/** Who may enter. */
export type Access =
  | { kind: 'permission'; permission: Permission }
  | { kind: 'identity' }
  | { kind: 'session' }
  | { kind: 'public' }
  | { kind: 'registration' }
  | { kind: 'attempt' }

/** An error that an operation lists; with a status if the code has several. */
export type ListedError = ErrorCode | readonly [ErrorCode, number]

/** The options of a route as Elysia passes them to a macro. */
export interface RouteOptions {
  params?: TObject
  query?: TObject
  headers?: TObject
  body?: TSchema
  response?: Record<number, TSchema> | TSchema
  hidden?: boolean
  organizationWide?: boolean
  foreignIsForbidden?: boolean
  whileDeleting?: boolean
  placeInQuery?: boolean
  keysOnly?: boolean
  orPermissions?: readonly Permission[]
  reportPermission?: Permission
  csrfInBody?: boolean
  streaming?: boolean
  resource?: string | null
  bodyLimit?: number
  consumes?: Consumes
  ownBody?: boolean
  anyQuery?: boolean
  find?: Find
  errors?: ListedError[]
  detail?: { operationId?: string }
  parse?: unknown
  transform?: unknown
}

/** A declared route: what the guard checks and the document describes. */
export interface RouteFacts extends Omit<RouteOptions, 'parse' | 'transform' | 'detail'> {
  access: Access
}

type Hooks = { transform?: unknown }

/** The facts of a route by its check function, which Elysia carries from plugin to plugin. */
const declared = new WeakMap<object, RouteFacts>()

export const declareFacts = (checks: object, facts: RouteFacts): void => void declared.set(checks, facts)

/** The facts of a route in `app.routes`; undefined for a route without a guard. */
export function factsOf(hooks: Hooks): RouteFacts | undefined {
  const transforms: unknown[] = Array.isArray(hooks.transform) ? hooks.transform : [hooks.transform]
  for (const hook of transforms) {
    const fn: unknown = typeof hook === 'object' && hook !== null && 'fn' in hook ? hook.fn : hook
    const facts = typeof fn === 'function' ? declared.get(fn) : undefined
    if (facts) return facts
  }
  return undefined
}

export const listedErrors = (errors: readonly ListedError[] = []): [ErrorCode, number][] =>
  errors.flatMap((listed): [ErrorCode, number][] =>
    typeof listed === 'string' ? errorCatalogue[listed].statuses.map((status) => [listed, status]) : [[...listed]],
  )
