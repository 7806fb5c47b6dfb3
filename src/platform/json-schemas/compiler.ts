/** Compiles JSON Schemas. `ajv` is loaded with the first one. */
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv'
import type { CheckResult, Fault } from './check-result.ts'
import type { JsonSchema } from './structure.ts'

const optionsOfAll: Options = {
  strict: false,
  allErrors: false,
  // Accepted schemas were checked already; a `$schema` of another draft must not stop a run.
  validateSchema: false,
  logger: false,
}
const messageCharactersMax = 500
const faultsMax = 20

export type Check = (value: unknown) => CheckResult

/** A compiler never frees all memory of a compiled schema, so it is replaced after this many. */
const compiledMax = 1_000

let compilers: Promise<{ latest: Ajv; draft07: Ajv }> | undefined
let compiled = 0

/** The check of a schema. Throws if the schema does not compile. */
export async function compile(schema: JsonSchema): Promise<Check> {
  if (compiled++ % compiledMax === 0) compilers = loadCompilers()
  const { latest, draft07 } = await compilers!
  const compiler = typeof schema.$schema === 'string' && /draft-0[467]/.test(schema.$schema) ? draft07 : latest
  return checkWith(compileApart(compiler, schema))
}

/**
 * Compiles without leaving state in the compiler, which all organizations share: a name (`$id`) in one schema must neither
 * be visible to the next one nor hide an earlier one.
 */
function compileApart(compiler: Ajv, schema: JsonSchema): ValidateFunction {
  const before = { refs: { ...compiler.refs }, schemas: { ...compiler.schemas } }
  try {
    return compiler.compile(schema)
  } finally {
    compiler.removeSchema(schema)
    for (const kind of ['refs', 'schemas'] as const) {
      for (const name of Object.keys(compiler[kind])) if (!(name in before[kind])) delete compiler[kind][name]
      Object.assign(compiler[kind], before[kind])
    }
  }
}

const checkWith =
  (validate: ValidateFunction): Check =>
  (value) => {
    if (validate(value)) return { problem: null, faults: [] }
    const errors = (validate.errors ?? []).slice(0, faultsMax)
    const said = errors.map(({ instancePath, message = 'is not valid' }) => `${instancePath} ${message}`.trimStart())
    return { problem: said.join(', ').slice(0, messageCharactersMax), faults: errors.map(faultOf) }
  }

/** A missing or unexpected property is reported at its own path. */
function faultOf({ instancePath, message = 'is not valid', params }: ErrorObject): Fault {
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>
  const name = missingProperty ?? additionalProperty
  const path = name === undefined ? instancePath : `${instancePath}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`
  return { path: path.slice(0, messageCharactersMax), message: message.slice(0, messageCharactersMax) }
}

async function loadCompilers() {
  const [{ Ajv }, { Ajv2020 }, { default: addFormats }, { LinearPattern }] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('./patterns.ts'),
  ])
  const regExp = Object.assign((pattern: string) => new LinearPattern(pattern), { code: 'new LinearPattern' })
  // the optimizer takes most of the time without a measurable gain
  const options: Options = { ...optionsOfAll, code: { regExp, optimize: false } }
  const withFormats = <Compiler extends Ajv>(compiler: Compiler): Compiler => {
    addFormats.default(compiler)
    return compiler
  }
  return { latest: withFormats(new Ajv2020(options)), draft07: withFormats(new Ajv(options)) }
}
