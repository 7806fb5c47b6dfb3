/** Starts the server: as it was compiled from these sources, or from the sources themselves. */
import { compiledProgram } from './server/compiled.ts'

await import(compiledProgram() ?? './server/program.ts')
