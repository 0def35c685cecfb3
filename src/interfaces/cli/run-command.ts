/** How a command gets at the project. */
import type { Command } from "commander";
import type { Project } from "../../operations/project.ts";
import type { Output } from "./output.ts";

export type Act = (project: Project, output: Output) => Promise<number | void>;
export type RunCommand = (command: Command, act: Act) => Promise<void>;
export type AddCommand = (program: Command, run: RunCommand) => void;
