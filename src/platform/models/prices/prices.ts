/**
 * The cost of model calls. Cached tokens are part of the input, reasoning tokens part of the output; without their own
 * price they cost as much as the rest. Nothing is rounded. Source: contract 13, "Cost".
 */
import { decimalOf } from '../../../../machines/decimal.ts'
import type { Cost } from '../../../../machines/run/budget.ts'
import { RecentlyUsed } from '../../cache.ts'
import { fitsGlob } from './glob.ts'
import type { ModelPrice } from './price-list.ts'

/** The name of a model, as in steps; null: unknown. */
export interface PricedModel {
  provider: string | null
  model: string | null
}

/** The tokens of a call. */
interface PricedUsage {
  inputTokens: number
  outputTokens: number
  cachedInputTokens: number
  reasoningTokens: number
}

const rememberedMax = 1_000

export class Prices {
  readonly #remembered = new RecentlyUsed<{ price: ModelPrice | undefined }>(rememberedMax)

  /** null: the server has no prices, and nothing is counted. */
  constructor(private readonly list: readonly ModelPrice[] | null) {}

  /** Whether the server has prices. */
  get isGiven(): boolean {
    return this.list !== null
  }

  /** The currency of the model's price; null if it has no price. */
  currencyOf(model: PricedModel): string | null {
    return this.#find(model)?.currency ?? null
  }

  /** The cost of the call; null if the model has no price. */
  costOf(model: PricedModel, usage: PricedUsage): Cost | null {
    const price = this.#find(model)
    if (!price) return null
    const cached = Math.min(usage.cachedInputTokens, usage.inputTokens)
    const reasoning = Math.min(usage.reasoningTokens, usage.outputTokens)
    const units =
      BigInt(usage.inputTokens - cached) * price.input +
      BigInt(cached) * price.cachedInput +
      BigInt(usage.outputTokens - reasoning) * price.output +
      BigInt(reasoning) * price.reasoning
    return { amount: decimalOf(units), currency: price.currency }
  }

  /** The first matching entry. */
  #find({ provider, model }: PricedModel): ModelPrice | undefined {
    if (this.list === null || provider === null || model === null) return undefined
    const key = `${provider}\n${model}`
    const known = this.#remembered.get(key)
    if (known) return known.price
    const price = this.list.find((entry) => entry.provider === provider && fitsGlob(entry.model, model))
    this.#remembered.set(key, { price })
    return price
  }
}

/** A server without prices. */
export const noPrices = new Prices(null)
