/** JSON Schemas of tools and outputs, compiled once. `ajv` is loaded when the first value is checked. */
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv'

const optionsOfAll: Options = {
  strict: false,
  allErrors: false,
  // What the server accepted it has checked; a `$schema` of another draft must not stop a run.
  validateSchema: false,
  logger: false,
}
const compiledMax = 1_000
const messageCharactersMax = 500
const faultsMax = 20

type Schema = Record<string, unknown>
/** Says what is wrong with a value, in one line; null: nothing. */
export interface Check {
  (value: unknown): string | null
  /** The same with where: a JSON pointer. Empty: nothing. */
  faults(value: unknown): Fault[]
}
export interface Fault {
  path: string
  message: string
}

const byObject = new WeakMap<Schema, Check>()
/** Contents are read anew for each attempt of another process, so equal schemas come as different objects. */
const byText = new Map<string, Check>()
let compilers: Promise<{ latest: Ajv; draft07: Ajv }> | undefined

/** The check of a schema. Throws when the schema does not compile. */
export async function checkOf(schema: Schema): Promise<Check> {
  const known = byObject.get(schema)
  if (known) return known
  const text = JSON.stringify(schema)
  let check = byText.get(text)
  if (!check) {
    compilers ??= loadCompilers()
    const { latest, draft07 } = await compilers
    const compiler = typeof schema.$schema === 'string' && /draft-0[467]/.test(schema.$schema) ? draft07 : latest
    check = checkWith(compileApart(compiler, schema), compiler)
    if (byText.size >= compiledMax) byText.clear()
    byText.set(text, check)
  }
  byObject.set(schema, check)
  return check
}

/**
 * Compiles, and leaves nothing behind in the compiler, which all organizations share: a name (`$id`) that one schema
 * gives to itself or a part of itself must not mean anything to the next one, nor hide what was there before.
 */
function compileApart(compiler: Ajv, schema: Schema): ValidateFunction {
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

const checkWith = (validate: ValidateFunction, compiler: Ajv): Check =>
  Object.assign(
    (value: unknown) =>
      validate(value) ? null : compiler.errorsText(validate.errors, { dataVar: '' }).slice(0, messageCharactersMax),
    { faults: (value: unknown) => (validate(value) ? [] : (validate.errors ?? []).slice(0, faultsMax).map(faultOf)) },
  )

/** What is missing, or too much, is at its own place. */
function faultOf({ instancePath, message = 'is not valid', params }: ErrorObject): Fault {
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>
  const name = missingProperty ?? additionalProperty
  const path = name === undefined ? instancePath : `${instancePath}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`
  return { path, message: message.slice(0, messageCharactersMax) }
}

async function loadCompilers() {
  const [{ Ajv }, { Ajv2020 }, { default: addFormats }] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
  ])
  const withFormats = <Compiler extends Ajv>(compiler: Compiler): Compiler => {
    addFormats.default(compiler)
    return compiler
  }
  return { latest: withFormats(new Ajv2020(optionsOfAll)), draft07: withFormats(new Ajv(optionsOfAll)) }
}
