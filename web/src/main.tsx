import { render } from "preact";
import "./style/page.css";
import { App } from "./app";
import { answersInside, frozenSource } from "./api/frozen";
import { liveSource } from "./api/live";
import { startTheme } from "./ui/theme";
import { currentToken } from "./ui/token";

startTheme();
const answers = answersInside(document);
const source = answers ? frozenSource(answers) : liveSource(currentToken);
render(<App source={source} />, document.getElementById("page")!);
