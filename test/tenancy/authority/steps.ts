/** Random steps in the world. */
import fc from 'fast-check'
import type { Role } from './model.ts'
import { asked, grantable, operations } from './operations.ts'

const index = (length: number) => fc.nat(length - 1)
const some = <Item>(items: readonly Item[]) => fc.constantFrom(...items)
const most = <Item>(items: readonly Item[]) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant([...items]) },
    { weight: 1, arbitrary: fc.subarray([...items], { minLength: 1 }) },
  )

/** The ids of a path: mostly consistent, and half of the time the key's scope. */
const paths = fc.record({
  isBound: fc.boolean(),
  organization: fc.oneof(
    { weight: 4, arbitrary: fc.constant('home') },
    { weight: 1, arbitrary: some(['foreign', 'missing']) },
  ),
  project: fc.oneof(
    { weight: 6, arbitrary: index(2) },
    { weight: 1, arbitrary: some(['foreign', 'missing'] as const) },
  ),
  /** Of the Project in the path, or of the other one. */
  isOfProject: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  nth: fc.oneof({ weight: 6, arbitrary: index(2) }, { weight: 1, arbitrary: some(['foreign', 'missing'] as const) }),
  run: fc.oneof({ weight: 6, arbitrary: index(4) }, { weight: 1, arbitrary: some(['foreign', 'missing'] as const) }),
})
export type Path = typeof paths extends fc.Arbitrary<infer Value> ? Value : never

/** Mostly questions, and sometimes a change of authority. */
export const steps = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('ask'), operation: some(operations), who: fc.nat(), path: paths }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('addKey'),
      user: index(4),
      operations: most(asked),
      bound: some(['nothing', 'nothing', 'project', 'environment', 'agent', 'both'] as const),
      project: index(2),
      nth: index(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke'), who: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('setRole'),
      user: index(4),
      role: some<Role | null>(['owner', 'admin', 'admin', 'member', 'member', 'member', null]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('setInGroup'), user: index(4), group: index(2), isIn: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('grant'),
      subject: index(6),
      project: index(2),
      permissions: most(grantable),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ungrant'), which: fc.nat() }) },
)
export type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never
