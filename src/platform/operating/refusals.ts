/**
 * Counts what is refused, by the class of the operation and the status: so many series at most as there are families of
 * permissions and statuses, whatever is asked. Source: contract 0, "Refusals"; 9, "/metrics".
 */
import type { AnyElysia } from 'elysia'
import { type Access, factsOf } from '../http/guard/route.ts'
import { Counter, type Registry } from './prometheus.ts'

/** The class of a request that no route takes. */
const unmatched = 'unmatched'

/** The family of the permission (`agent-runs`), or the sort of credential. */
const classOf = (access: Access): string =>
  access.kind === 'permission' ? access.permission.slice(0, access.permission.indexOf(':')) : access.kind

export class HttpRefusals {
  #counter: Counter<'operation' | 'status'> | undefined
  /** By method and route; read when something is refused for the first time. */
  #classes: Map<string, string> | undefined

  constructor(private readonly routes: () => AnyElysia['routes']) {}

  /** Adds the counter to a registry. */
  register(registry: Registry): void {
    this.#counter = new Counter({
      name: 'troupe_http_refusals_total',
      help: 'Answers of 400 and above, by the family of the operation and status.',
      labelNames: ['operation', 'status'],
      registers: [registry],
    })
  }

  /** Counts one answer; `route` is the template of its path. */
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
