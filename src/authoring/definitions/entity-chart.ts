/** The statechart of an entity Definition, run by XState like every other one. Source: contract 3, "entity source". */
import type { AnyStateMachine } from 'xstate'
import { createEntityMachine } from '../../../machines/entity.ts'
import type { EntitySource } from './source.ts'

/** Throws, as XState does, on states that are no statechart. */
export const chartOfEntity = (name: string, states: EntitySource['states']): AnyStateMachine =>
  createEntityMachine(name, states)
