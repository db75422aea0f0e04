from trestle import main

main()
