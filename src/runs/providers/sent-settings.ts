/**
 * Selects the model settings to send to a vendor. The schema checks their bounds when they are stored; this only drops
 * settings of the wrong type, without the schema library, which runners do not load.
 */
import type { Static, TObject } from '@sinclair/typebox'
import type { modelSettings } from '../../platform/models/model-settings.ts'

export type ModelSettings = Static<TObject<typeof modelSettings>>

const isNumber = (value: unknown) => Number.isFinite(value)
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0

const fits: Record<keyof ModelSettings, (value: unknown) => boolean> = {
  temperature: isNumber,
  topP: isNumber,
  topK: isCount,
  maxOutputTokens: isCount,
  stopSequences: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  seed: (value) => Number.isSafeInteger(value),
  presencePenalty: isNumber,
  frequencyPenalty: isNumber,
}

export const sentSettings = (given: Record<string, unknown>): ModelSettings =>
  Object.fromEntries(Object.entries(fits).flatMap(([name, fit]) => (fit(given[name]) ? [[name, given[name]]] : [])))
