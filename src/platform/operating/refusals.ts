/**
 * Counts refused requests by class of operation and status. The number of series is bounded by the families of permissions
 * and the statuses. Source: contract 0, "Refusals"; 9, "/metrics".
 */
import type { AnyElysia } from 'elysia'
import { type Access, factsOf } from '../http/guard/route.ts'
import { Counter, type Registry } from './prometheus.ts'

/** The class of a request without a route. */
const unmatched = 'unmatched'

/** The family of the permission (`agent-runs`), or the kind of credential. */
const classOf = (access: Access): string =>
  access.kind === 'permission' ? access.permission.slice(0, access.permission.indexOf(':')) : access.kind

export class HttpRefusals {
  #counter: Counter<'operation' | 'status'> | undefined
  /** By method and route; built at the first refusal. */
  #classes: Map<string, string> | undefined

  constructor(private readonly routes: () => AnyElysia['routes']) {}

  register(registry: Registry): void {
    this.#counter = new Counter({
      name: 'troupe_http_refusals_total',
      help: 'Responses of 400 and above, by family of the operation and status.',
      labelNames: ['operation', 'status'],
      registers: [registry],
    })
  }

  /** Counts one response; `route` is the path template. */
  count(route: string, method: string, status: number): void {
    this.#counter?.inc({ operation: this.#classOf(method, route), status })
  }

  #classOf(method: string, route: string): string {
    this.#classes ??= new Map(
      this.routes().map(({ method: of, path, hooks }) => {
        const facts = factsOf(hooks)
        return [`${of} ${path}`, facts ? classOf(facts.access) : unmatched]
      }),
    )
    return this.#classes.get(`${method === 'HEAD' ? 'GET' : method} ${route}`) ?? unmatched
  }
}
