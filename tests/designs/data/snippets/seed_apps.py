import document

document.run("seed_applications")
