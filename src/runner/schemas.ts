/** JSON Schemas of tools and outputs, compiled once. `ajv` is loaded when the first value is checked. */
import type { Ajv, Options, ValidateFunction } from 'ajv'

const optionsOfAll: Options = {
  strict: false,
  allErrors: false,
  addUsedSchema: false,
  // What the server accepted it has checked; a `$schema` of another draft must not stop a run.
  validateSchema: false,
  logger: false,
}
const compiledMax = 1_000

type Schema = Record<string, unknown>
/** Says what is wrong with a value, in one line; null: nothing. */
export type Check = (value: unknown) => string | null

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
    check = checkWith(compiler.compile(schema), compiler)
    compiler.removeSchema(schema)
    if (byText.size >= compiledMax) byText.clear()
    byText.set(text, check)
  }
  byObject.set(schema, check)
  return check
}

const checkWith =
  (validate: ValidateFunction, compiler: Ajv): Check =>
  (value) =>
    validate(value) ? null : compiler.errorsText(validate.errors, { dataVar: '' }).slice(0, 500)

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
