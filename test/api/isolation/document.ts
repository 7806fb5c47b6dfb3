/** The operations of the API document, read from a separate server before the tests are declared. */
import { openTroupe } from '../../support/troupe.ts'

export interface Operation {
  operationId: string
  method: string
  path: string
  /** Undefined if the operation requires none. */
  permission: string | undefined
  /** Whether the operation accepts a cursor. */
  isPaged: boolean
}

interface Described {
  operationId: string
  'x-permission'?: string
  parameters?: { $ref?: string }[]
}

export async function operations(): Promise<Operation[]> {
  const troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none' } })
  const { body } = await troupe.owner.get('/docs/json')
  await troupe.stop()
  const paths = body.paths as Record<string, Record<string, Described>>
  // HEAD is GET without the body
  const methodsOf = (methods: Record<string, Described>) =>
    Object.entries(methods).filter(([method]) => method !== 'head')
  return Object.entries(paths).flatMap(([path, methods]) =>
    methodsOf(methods).map(([method, described]) => ({
      operationId: described.operationId,
      method,
      path,
      permission: described['x-permission'],
      isPaged: described.parameters?.some(({ $ref }) => $ref === '#/components/parameters/Cursor') ?? false,
    })),
  )
}
