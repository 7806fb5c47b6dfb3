/**
 * Arithmetic by recursive descent: + - * / % ^, unary minus, parentheses, a few functions and constants.
 *
 *   sum      = product { ("+" | "-") product }
 *   product  = unary { ("*" | "/" | "%") unary }
 *   unary    = ("-" | "+") unary | power
 *   power    = primary [ "^" unary ]                  so that 2^3^2 = 2^9 and -2^2 = -4
 *   primary  = number | constant | function "(" sum { "," sum } ")" | "(" sum ")"
 */
import { ToolError } from './executor.ts'

export const expressionCharactersMax = 1_000
const depthMax = 100
const significantDigits = 15

const token = /\s*(?:((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z]\w*)|(.))/uy

const constants: Record<string, number> = { pi: Math.PI, e: Math.E }

const functions: Record<string, { take: [min: number, max: number]; of: (...values: number[]) => number }> = {
  abs: { take: [1, 1], of: Math.abs },
  ceil: { take: [1, 1], of: Math.ceil },
  cos: { take: [1, 1], of: Math.cos },
  exp: { take: [1, 1], of: Math.exp },
  floor: { take: [1, 1], of: Math.floor },
  ln: { take: [1, 1], of: Math.log },
  log: { take: [1, 1], of: Math.log10 },
  max: { take: [1, 100], of: Math.max },
  min: { take: [1, 100], of: Math.min },
  round: { take: [1, 1], of: Math.round },
  sin: { take: [1, 1], of: Math.sin },
  sqrt: { take: [1, 1], of: Math.sqrt },
  tan: { take: [1, 1], of: Math.tan },
}

/**
 * The value of an expression, rounded to 15 significant digits. Throws ToolError for an invalid expression or result.
 */
export function calculate(expression: string): number {
  if (expression.length > expressionCharactersMax) {
    throw new ToolError(`The expression may have at most ${expressionCharactersMax} characters.`)
  }
  const value = new Calculation(tokensOf(expression)).value()
  if (!Number.isFinite(value)) throw new ToolError('The result is not a finite number.')
  return Number(value.toPrecision(significantDigits)) + 0 // -0 is 0
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = []
  const text = expression.trimEnd()
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const match = token.exec(text)
    // Only a misplaced line break does not match.
    if (!match) throw new ToolError('The expression is not valid.')
    tokens.push(match[0].trimStart())
  }
  return tokens
}

class Calculation {
  #at = 0
  #depth = 0

  constructor(private readonly tokens: string[]) {}

  value(): number {
    const value = this.#sum()
    if (this.#at < this.tokens.length) throw this.#unexpected()
    return value
  }

  #sum(): number {
    let value = this.#product()
    for (;;) {
      if (this.#take('+')) value += this.#product()
      else if (this.#take('-')) value -= this.#product()
      else return value
    }
  }

  #product(): number {
    let value = this.#unary()
    for (;;) {
      if (this.#take('*')) value *= this.#unary()
      else if (this.#take('/')) value /= divisor(this.#unary())
      else if (this.#take('%')) value %= divisor(this.#unary())
      else return value
    }
  }

  #unary(): number {
    return this.#nested(() => {
      if (this.#take('-')) return -this.#unary()
      if (this.#take('+')) return this.#unary()
      const base = this.#primary()
      return this.#take('^') ? base ** this.#unary() : base
    })
  }

  #primary(): number {
    const next = this.tokens[this.#at++]
    if (next === undefined) throw new ToolError('The expression ends too early.')
    if (next === '(') return this.#closed(this.#sum())
    if (/^[\d.]/.test(next) && next !== '.') return Number(next)
    const name = next.toLowerCase()
    if (Object.hasOwn(constants, name)) return constants[name]!
    if (Object.hasOwn(functions, name) && this.#take('(')) return this.#call(name)
    this.#at--
    throw this.#unexpected()
  }

  #call(name: string): number {
    const { take, of } = functions[name]!
    const values = [this.#sum()]
    while (this.#take(',')) values.push(this.#sum())
    const [min, max] = take
    if (values.length < min || values.length > max) throw new ToolError(`${name} takes another number of values.`)
    return this.#closed(of(...values))
  }

  #closed(value: number): number {
    if (!this.#take(')')) throw this.#unexpected()
    return value
  }

  #nested(work: () => number): number {
    if (++this.#depth > depthMax) throw new ToolError(`The expression is nested deeper than ${depthMax} levels.`)
    const value = work()
    this.#depth--
    return value
  }

  #take(symbol: string): boolean {
    if (this.tokens[this.#at] !== symbol) return false
    this.#at++
    return true
  }

  #unexpected(): ToolError {
    const next = this.tokens[this.#at]
    return new ToolError(next === undefined ? 'The expression ends too early.' : `Unexpected ${JSON.stringify(next)}.`)
  }
}

function divisor(value: number): number {
  if (value === 0) throw new ToolError('Division by zero.')
  return value
}
