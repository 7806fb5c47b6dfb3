/** The statecharts of entities, in words. Source: contract 3, "entity source"; contract 6, "Entities". */
import { exampleMachine } from '../entities/actor.ts'
import type { Chart } from './chart.ts'

export const entityChart: Chart = {
  title: 'Entity',
  about:
    'Data with a life of its own, written by operations. Each entity is run by the statechart of its Definition: this ' +
    'one, of an order, stands for all of them, and `GET /api/v1/actors/entity/{id}/machine` has that of one entity. ' +
    "Whatever has a slash in its name is Troupe's own and in every such statechart: `entity/update` replaces the data and " +
    'leaves the state as it is, `entity/delete` ends the entity, also in a state that nothing else leaves. A call ' +
    'through a Deployment with another revision of the Definition brings that one: the entity goes on by it, if it has ' +
    'the state that the entity is in.',
  machine: exampleMachine,
  input: undefined,
  guards: {
    versionExpected: 'The sender names the version that the entity has, or none.',
  },
  deadlines: {},
  effects: {},
}
